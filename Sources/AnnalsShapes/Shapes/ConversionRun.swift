internal import AnnalsCoding

/// A run of a program on one payload.
///
/// For any bytes, it throws and never traps. Each length is checked against the remaining bytes, and blocks
/// nest no deeper than the containers of a payload.
struct ConversionRun: ~Copyable, ~Escapable {
  private let code: Span<ConversionInstruction>
  private let pool: Span<UInt8>
  private let scalars: Span<ScalarStep>
  private let named: Span<NamedStep>
  private let bytes: Span<UInt8>
  private var offset = 0
  /// The offsets of fields of the records with backward seeks, one record after the other.
  private var places: [Int] = []

  /// Three blocks per container: one of a definition, one of a record or case with backward seeks, one of an
  /// element.
  private static let depthLimit = 3 * CBOR.typedDepthLimit + 3

  @_lifetime(copy code, copy pool, copy scalars, copy named, copy bytes)
  init(
    code: Span<ConversionInstruction>, pool: Span<UInt8>, scalars: Span<ScalarStep>, named: Span<NamedStep>,
    bytes: Span<UInt8>
  ) {
    self.code = code
    self.pool = pool
    self.scalars = scalars
    self.named = named
    self.bytes = bytes
  }

  /// Runs the block that begins at instruction `start`, nested in `depth` others.
  mutating func block(_ start: Int, depth: Int, into output: inout [UInt8]) throws(CodingFailure) {
    guard depth <= Self.depthLimit else { throw CodingFailure(.tooDeep, at: offset) }
    var next = start
    // The entered record: its head, its first field, and where the offsets of its fields are recorded.
    var head = offset
    var first = offset
    var noted = -1
    while true {
      let instruction = code[next]
      next &+= 1
      let number = Int(instruction.first)
      switch instruction.operation {
      case .end:
        if noted >= 0 { places.removeSubrange(noted...) }
        return
      case .put: output.append(pool.extracting(number..<(number &+ Int(instruction.second))))
      case .enter:
        head = offset
        offset = try bytes.end(ofHead: number, at: offset)
        first = offset
      case .copy:
        let end = try bytes.end(ofItems: number, from: offset)
        output.append(bytes.extracting(offset..<end))
        offset = end
      case .copyRest:
        output.append(bytes.extracting(offset..<bytes.count))
        offset = bytes.count
      case .skip: offset = try bytes.end(ofItems: number, from: offset)
      case .index:
        noted = places.count
        for _ in 0..<number {
          places.append(offset)
          offset = try bytes.end(ofItems: 1, from: offset)
        }
        offset = first
      case .seek:
        offset = noted < 0 ? try bytes.end(ofItems: number, from: first) : places[noted &+ number]
      case .restart: offset = head
      case .unlessNull:
        guard offset < bytes.count else { throw CodingFailure(.truncated, at: offset) }
        if bytes[offset] == 0xf6 {
          output.append(0xf6)
          offset &+= 1
          next = number
        }
      case .scalar:
        var reader = CBORReader(bytes, at: offset)
        try scalars[number].apply(&reader, to: &output)
        offset = reader.offset
      case .named:
        let end = try bytes.end(ofItems: 1, from: offset)
        try named[number].apply(bytes.extracting(offset..<end), at: offset, to: &output)
        offset = end
      case .call: try block(number, depth: depth &+ 1, into: &output)
      case .list: try list(number, depth: depth, into: &output)
      case .set: try set(number, depth: depth, into: &output)
      case .map:
        try map(number, Int(instruction.second), code[next], depth: depth, into: &output)
        next &+= 1
      case .choice:
        let entry = code[next &+ (try chosen(of: number, in: next))]
        try block(Int(entry.first), depth: depth &+ 1, into: &output)
        next &+= number
      case .detail, .entry: return
      }
    }
  }

  /// Consumes the head of an array, and returns the number of its elements; each takes at least a byte.
  private mutating func array() throws(CodingFailure) -> Int {
    var reader = CBORReader(bytes, at: offset)
    let head = try reader.canonicalHead()
    guard head.major == .array else {
      throw CodingFailure(.wrongType, at: offset, detail: "an array wanted")
    }
    offset = reader.offset
    return try reader.count(head.argument)
  }

  private mutating func list(_ start: Int, depth: Int, into output: inout [UInt8]) throws(CodingFailure) {
    let count = try array()
    output.appendHead(.array, UInt64(count))
    for _ in 0..<count { try block(start, depth: depth &+ 1, into: &output) }
  }

  private mutating func set(_ start: Int, depth: Int, into output: inout [UInt8]) throws(CodingFailure) {
    let place = offset
    let count = try array()
    output.appendHead(.array, UInt64(count))
    var order = KeyOrder(at: output.count)
    for _ in 0..<count {
      try block(start, depth: depth &+ 1, into: &output)
      order.endKey(in: output)
      order.endValue(in: output)
    }
    guard order.sort(&output) == nil else { throw CodingFailure(.duplicateKey, at: place) }
  }

  private mutating func map(
    _ keys: Int, _ values: Int, _ detail: ConversionInstruction, depth: Int, into output: inout [UInt8]
  ) throws(CodingFailure) {
    let place = offset
    let fromPairs = detail.first == 1
    let toPairs = detail.second & 1 == 1
    let sorts = detail.second & 2 == 2
    var count = 0
    if fromPairs {
      count = try array()
    } else {
      var reader = CBORReader(bytes, at: offset)
      let head = try reader.canonicalHead()
      guard head.major == .map else { throw CodingFailure(.wrongType, at: offset, detail: "a map wanted") }
      count = try reader.count(head.argument, width: 2)
      offset = reader.offset
    }
    output.appendHead(toPairs ? .array : .map, UInt64(count))
    var order = KeyOrder(at: output.count)
    for _ in 0..<count {
      if fromPairs { offset = try bytes.end(ofHead: 2, at: offset) }
      if toPairs { output.appendHead(.array, 2) }
      try block(keys, depth: depth &+ 1, into: &output)
      if sorts { order.endKey(in: output) }
      try block(values, depth: depth &+ 1, into: &output)
      if sorts { order.endValue(in: output) }
    }
    guard !sorts || order.sort(&output) == nil else { throw CodingFailure(.duplicateKey, at: place) }
  }

  /// Consumes a case's number, and the head of its values. The choice has `count` cases, whose entries begin
  /// at `entries`.
  private mutating func chosen(of count: Int, in entries: Int) throws(CodingFailure) -> Int {
    let start = offset
    var reader = CBORReader(bytes, at: offset)
    var head = try reader.canonicalHead()
    var held = 0
    if head.major == .array {
      held = try reader.count(head.argument) &- 1
      guard held > 0 else {
        throw CodingFailure(.wrongType, at: start, detail: "a case and its values wanted")
      }
      head = try reader.canonicalHead()
    }
    guard head.major == .unsigned, head.argument < UInt64(count) else {
      throw CodingFailure(.outOfRange, at: start, detail: "the number of a case wanted")
    }
    offset = reader.offset
    let number = Int(head.argument)
    let entry = code[entries &+ number]
    guard held == Int(entry.second) else {
      throw CodingFailure(.wrongType, at: start, detail: "a case with \(entry.second) values wanted")
    }
    guard entry.first >= 0 else {
      throw CodingFailure(.outOfRange, at: start, detail: "the shape wanted has no such case")
    }
    return number
  }
}
