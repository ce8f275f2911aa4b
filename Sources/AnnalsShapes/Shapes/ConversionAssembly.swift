internal import AnnalsCoding

/// Translates a mapping into instructions.
struct ConversionAssembly {
  /// The work of a block.
  private enum Block {
    /// Maps a value.
    case value(Mapping)
    /// Appends a head and makes values of the `count` values of a case; the first of these is next.
    case held(head: [UInt8], count: Int, [Mapping])
  }
  private enum Part {
    case bytes([UInt8])
    case take(Int, Mapping)
    case whole(Mapping)
  }

  private(set) var code: [ConversionInstruction] = []
  private(set) var pool: [UInt8] = []
  private(set) var scalars: [ScalarStep] = []
  private(set) var named: [NamedStep] = []
  private let definitions: [Mapping]
  private var blocks: [Block] = []
  private var blockOfDefinition: [Int: Int32] = [:]
  /// The last instruction that a jump leads to. Instructions after it are not joined with those before it.
  private var target = 0

  /// Creates the instructions of `mapping`, whose first block begins at 0.
  init(_ mapping: Mapping, _ definitions: [Mapping]) {
    self.definitions = definitions
    blocks = [.value(mapping)]
    var starts: [Int32] = []
    while starts.count < blocks.count {
      starts.append(Int32(code.count))
      target = code.count
      // Only the outermost value ends at the end of the payload.
      let isLast = starts.count == 1
      switch blocks[starts.count - 1] {
      case .value(let mapping): emit(mapping, isLast: isLast, isAlone: true)
      case .held(let head, let count, let values):
        emit([.bytes(head)] + values.flatMap { parts($0, of: count) }, of: count, isLast: false)
      }
      add(.end)
    }
    for index in code.indices {
      switch code[index].operation {
      case .call, .list, .set: code[index].first = starts[Int(code[index].first)]
      case .map:
        code[index].first = starts[Int(code[index].first)]
        code[index].second = starts[Int(code[index].second)]
      case .entry where code[index].first >= 0: code[index].first = starts[Int(code[index].first)]
      default: break
      }
    }
  }

  private mutating func add(_ operation: ConversionInstruction.Operation, _ first: Int = 0, _ second: Int = 0)
  {
    code.append(
      ConversionInstruction(
        operation: operation, first: Int32(clamping: first), second: Int32(clamping: second)))
  }

  private mutating func block(_ block: Block) -> Int {
    blocks.append(block)
    return blocks.count - 1
  }

  private mutating func put(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let start = pool.count
    pool += bytes
    if code.count > target, let last = code.last, last.operation == .put,
      Int(last.first) + Int(last.second) == start
    {
      code[code.count - 1].second += Int32(clamping: bytes.count)
    } else {
      add(.put, start, bytes.count)
    }
  }

  /// Maps the next value. `isLast`: nothing follows it. `isAlone`: its block does nothing else.
  private mutating func emit(_ mapping: Mapping, isLast: Bool, isAlone: Bool = false) {
    switch mapping {
    case .same: isLast ? add(.copyRest) : add(.copy, 1)
    case .constant(let bytes):
      if !isLast { add(.skip, 1) }
      put(bytes)
    case .scalar(let step):
      scalars.append(step)
      add(.scalar, scalars.count - 1)
    case .named(let step):
      named.append(step)
      add(.named, named.count - 1)
    case .wrap(let inner):
      put([0x81])
      emit(inner, isLast: isLast)
    case .unwrap(let inner):
      add(.enter, 1)
      emit(inner, isLast: isLast)
    case .field(let index, let count, let inner):
      add(.enter, count)
      if index > 0 { add(.skip, index) }
      emit(inner, isLast: isLast && index == count - 1)
      if !isLast, index + 1 < count { add(.skip, count - 1 - index) }
    case .fields(let count, let mappings):
      let parts = [.bytes(Self.head(mappings.count))] + mappings.flatMap { self.parts($0, of: count) }
      guard isAlone || !Self.goesBack(parts) else {
        add(.call, block(.value(mapping)))
        break
      }
      add(.enter, count)
      emit(parts, of: count, isLast: isLast)
    case .optional(let inner):
      let jump = code.count
      add(.unlessNull)
      emit(inner, isLast: isLast)
      code[jump].first = Int32(clamping: code.count)
      target = code.count
    case .list(let inner): add(.list, block(.value(inner)))
    case .set(let inner): add(.set, block(.value(inner)))
    case .map(let key, let value, let fromPairs, let toPairs):
      let keys = block(.value(key))
      add(.map, keys, block(.value(value)))
      add(.detail, fromPairs ? 1 : 0, (toPairs ? 1 : 0) + (key == .same ? 0 : 2))
    case .choice(let cases):
      let entries = cases.map { ($0.target.map { _ in true } ?? false, $0) }
      add(.choice, cases.count)
      for (isTaken, oneCase) in entries {
        add(.entry, isTaken ? block(Self.held(oneCase)) : -1, oneCase.count)
      }
      target = code.count
    case .call(let number):
      let known = blockOfDefinition[number]
      let called = known ?? Int32(clamping: block(.value(definitions[number])))
      blockOfDefinition[number] = called
      add(.call, Int(called))
    }
  }

  private static func held(_ oneCase: Mapping.CaseMapping) -> Block {
    var head: [UInt8] = oneCase.values.isEmpty ? [] : Self.head(oneCase.values.count + 1)
    head.appendHead(.unsigned, UInt64(oneCase.target ?? 0))
    return .held(head: head, count: oneCase.count, oneCase.values)
  }

  private static func head(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendHead(.array, UInt64(count))
    return bytes
  }

  /// Returns the parts that `mapping` of a record of `count` fields appends, in order.
  private func parts(_ mapping: Mapping, of count: Int) -> [Part] {
    switch mapping {
    case .field(let index, _, let inner): [.take(index, inner)]
    case .constant(let bytes): [.bytes(bytes)]
    case .fields(_, let mappings):
      [.bytes(Self.head(mappings.count))] + mappings.flatMap { parts($0, of: count) }
    case .wrap(let inner): [.bytes([0x81])] + parts(inner, of: count)
    default: [.whole(mapping)]
    }
  }

  /// Returns whether the fields are not taken in their order.
  private static func goesBack(_ parts: [Part]) -> Bool {
    var position = 0
    for part in parts {
      switch part {
      case .bytes: break
      case .take(let index, _):
        if index < position { return true }
        position = index + 1
      case .whole: return true
      }
    }
    return false
  }

  /// Appends `parts` of a record of `count` fields, the first of which is next.
  private mutating func emit(_ parts: [Part], of count: Int, isLast: Bool) {
    let goesBack = Self.goesBack(parts)
    // A few fields are found again by counting from the first; for many that would take quadratic time.
    if goesBack, count > 16 { add(.index, count) }
    var position = 0
    var index = 0
    while index < parts.count {
      switch parts[index] {
      case .bytes(let bytes): put(bytes)
      case .take(let field, .same):
        go(to: field, from: position)
        var length = 1
        while index + 1 < parts.count, case .take(field + length, .same) = parts[index + 1] {
          length += 1
          index += 1
        }
        position = field + length
        isLast && position == count && index == parts.count - 1 ? add(.copyRest) : add(.copy, length)
      case .take(let field, let inner):
        go(to: field, from: position)
        position = field + 1
        switch inner {
        case .constant, .scalar, .named: emit(inner, isLast: false)
        // A record inside one with backward seeks has its own block, because a block remembers one record.
        case _ where goesBack: add(.call, block(.value(inner)))
        default: emit(inner, isLast: isLast && position == count && index == parts.count - 1)
        }
      case .whole(let mapping):
        add(.restart)
        add(.call, block(.value(mapping)))
        position = count
      }
      index += 1
    }
    if !isLast, position < count { add(.skip, count - position) }
  }

  private mutating func go(to field: Int, from position: Int) {
    if field > position {
      add(.skip, field - position)
    } else if field < position {
      add(.seek, field)
    }
  }
}
