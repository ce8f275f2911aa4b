internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A conversion of one payload by shape to its form by name. It has been checked, so that nesting and lengths
/// are bounded.
struct NamedWriting: ~Copyable, ~Escapable {
  private let table: NamedTable
  private let rows: Span<NamedTable.Row>
  private let fields: Span<NamedTable.Field>
  private let sorted: Span<Int32>
  private let cases: Span<NamedTable.Case>
  private let pool: Span<UInt8>
  private let bytes: Span<UInt8>
  private var offset = 0
  /// The offsets of the values of fields, of one record after the other; −1 for null if a field may be
  /// omitted.
  private var places: [Int] = []

  @_lifetime(copy rows, copy fields, copy sorted, copy cases, copy pool, copy bytes)
  init(
    _ table: NamedTable, rows: Span<NamedTable.Row>, fields: Span<NamedTable.Field>, sorted: Span<Int32>,
    cases: Span<NamedTable.Case>, pool: Span<UInt8>, bytes: Span<UInt8>
  ) {
    self.table = table
    self.rows = rows
    self.fields = fields
    self.sorted = sorted
    self.cases = cases
    self.pool = pool
    self.bytes = bytes
    // One allocation for the usual record, instead of several as it grows.
    places.reserveCapacity(32)
  }

  private func failure(_ reason: CodingFailure.Reason, _ wanted: String) -> CodingFailure {
    CodingFailure(reason, at: offset, detail: "\(wanted) wanted")
  }

  /// Reads a value of the type `number` and appends its form by name, nested in `depth` containers.
  mutating func value(of number: Int32, depth: Int, to output: inout [UInt8]) throws(CodingFailure) {
    var row = rows[Int(number)]
    while row.kind == .optional {
      if bytes[offset] == 0xf6 {
        output.append(0xf6)
        offset &+= 1
        return
      }
      row = rows[Int(row.first)]
    }
    switch row.kind {
    case .record:
      let count = try head(.array, "an array of fields").argument
      guard count == UInt64(row.second) else {
        throw CodingFailure(.wrongType, at: offset &- 1, detail: "\(row.second) fields wanted")
      }
      try record(row, depth: depth, to: &output)
    case .choice: try choice(row, depth: depth, to: &output)
    case .list:
      try enter(depth)
      let count = try head(.array, "an array").argument
      output.appendHead(.array, count)
      for index in 0..<count { try element(row.first, index, depth: depth &+ 1, to: &output) }
    case .set: try set(row, depth: depth, to: &output)
    case .map:
      try enter(depth)
      let count = try head(.map, "a map").argument
      output.appendHead(.map, count)
      for index in 0..<count {
        try copy(to: &output)
        try element(row.second, index, depth: depth &+ 1, to: &output)
      }
    case .pairs: try pairs(row, depth: depth, to: &output)
    default: try scalar(row, depth: depth, to: &output)
    }
  }

  /// Refuses a container nested in too many others.
  private func enter(_ depth: Int) throws(CodingFailure) {
    guard depth < CBOR.depthLimit else { throw CodingFailure(.tooDeep, at: offset) }
  }

  private mutating func element(
    _ type: Int32, _ index: UInt64, depth: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    do throws(CodingFailure) {
      try value(of: type, depth: depth, to: &output)
    } catch {
      throw error.moved(under: [String(index)])
    }
  }

  private mutating func set(
    _ row: NamedTable.Row, depth: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    try enter(depth)
    let count = try head(.array, "an array").argument
    output.appendHead(.array, count)
    var order = KeyOrder(at: output.count)
    var previous = 0..<0
    for index in 0..<count {
      let start = offset
      try element(row.first, index, depth: depth &+ 1, to: &output)
      try check(start..<offset, after: previous)
      previous = start..<offset
      order.endKey(in: output)
      order.endValue(in: output)
    }
    guard order.sort(&output) == nil else { throw CodingFailure(.duplicateKey, at: offset) }
  }

  private mutating func pairs(
    _ row: NamedTable.Row, depth: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    try enter(depth)
    let count = try head(.array, "an array of pairs").argument
    output.appendHead(.array, count)
    var order = KeyOrder(at: output.count)
    var previous = 0..<0
    for index in 0..<count {
      guard bytes[offset] == 0x82 else { throw failure(.wrongType, "a pair").moved(under: [String(index)]) }
      try enter(depth &+ 1)
      offset &+= 1
      output.append(0x82)
      let start = offset
      try element(row.first, index, depth: depth &+ 2, to: &output)
      try check(start..<offset, after: previous)
      previous = start..<offset
      order.endKey(in: output)
      try element(row.second, index, depth: depth &+ 2, to: &output)
      order.endValue(in: output)
    }
    guard order.sort(&output) == nil else { throw CodingFailure(.duplicateKey, at: offset) }
  }

  /// Refuses an element or key that does not sort after the one before it; the first comes after an empty
  /// range.
  private func check(_ item: Range<Int>, after previous: Range<Int>) throws(CodingFailure) {
    guard !previous.isEmpty else { return }
    let order = bytes.order(of: previous, against: item)
    guard order < 0 else {
      throw CodingFailure(order == 0 ? .duplicateKey : .unsortedKeys, at: item.lowerBound)
    }
  }

  /// Reads the head of an item of this type.
  private mutating func head(_ major: CBORHead.Major, _ wanted: String) throws(CodingFailure) -> CBORHead {
    var reader = CBORReader(bytes, at: offset)
    let head = try reader.head()
    guard head.major == major else { throw failure(.wrongType, wanted) }
    offset = reader.offset
    return head
  }

  private mutating func copy(to output: inout [UInt8]) throws(CodingFailure) {
    let end = try bytes.end(ofItems: 1, from: offset)
    output.append(bytes.extracting(offset..<end))
    offset = end
  }

  /// Reads the values of fields in the order of the shape and appends a map of them in the order of their
  /// names.
  private mutating func record(
    _ row: NamedTable.Row, depth: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    try enter(depth)
    let base = places.count
    let first = Int(row.first)
    let end = first &+ Int(row.second)
    var count = 0
    for index in first..<end {
      let isLeftOut =
        offset < bytes.count && bytes[offset] == 0xf6 && rows[Int(fields[index].type)].kind == .optional
      places.append(isLeftOut ? -1 : offset)
      count &+= isLeftOut ? 0 : 1
      offset = try bytes.end(ofItems: 1, from: offset)
    }
    let after = offset
    output.appendHead(.map, UInt64(count))
    for index in first..<end {
      let field = Int(sorted[index])
      let place = places[base &+ field &- first]
      guard place >= 0 else { continue }
      let name = fields[field].name
      output.append(pool.extracting(Int(name.start)..<Int(name.end)))
      offset = place
      do throws(CodingFailure) {
        try value(of: fields[field].type, depth: depth &+ 1, to: &output)
      } catch {
        throw error.moved(under: [table.text(name)])
      }
    }
    places.removeSubrange(base...)
    offset = after
  }

  private mutating func choice(
    _ row: NamedTable.Row, depth: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    let start = offset
    var held: UInt64 = 0
    if CBORHead.Major(ofFirst: bytes[offset]) == .array {
      held = try head(.array, "a case").argument
      guard held > 1 else {
        throw CodingFailure(.wrongType, at: start, detail: "a case and its values wanted")
      }
      held &-= 1
    }
    let number = try head(.unsigned, "the number of a case").argument
    guard number < UInt64(row.second) else {
      throw CodingFailure(.outOfRange, at: start, detail: "the number of a case wanted")
    }
    let oneCase = cases[Int(row.first) &+ Int(number)]
    let values = rows[Int(oneCase.values)]
    guard held == UInt64(values.second) else {
      throw CodingFailure(.wrongType, at: start, detail: "a case with \(values.second) values wanted")
    }
    if row.holdsValues {
      try enter(depth)
      output.appendHead(.map, 1)
    }
    output.append(pool.extracting(Int(oneCase.name.start)..<Int(oneCase.name.end)))
    guard row.holdsValues else { return }
    do throws(CodingFailure) {
      try record(values, depth: depth &+ 1, to: &output)
    } catch {
      throw error.moved(under: [table.text(oneCase.name)])
    }
  }

  private mutating func scalar(
    _ row: NamedTable.Row, depth: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    let byte = bytes[offset]
    var reader = CBORReader(bytes, at: offset)
    let head = try reader.head()
    let end = try bytes.end(ofItems: 1, from: offset)
    let isFloat = byte >= 0xf9 && byte <= 0xfb
    switch row.kind {
    case .bool: guard byte == 0xf4 || byte == 0xf5 else { throw failure(.wrongType, "Bool") }
    case .integer:
      let shape = IntegerShape.allCases[Int(row.first)]
      guard head.major == .unsigned || head.major == .negative else {
        throw failure(.wrongType, shape.rawValue)
      }
      guard shape.holds(head) else { throw failure(.outOfRange, shape.rawValue) }
    case .float:
      guard isFloat else { throw failure(.wrongType, "Float") }
      guard byte != 0xfb else { throw failure(.outOfRange, "Float") }
    case .double, .date: guard isFloat else { throw failure(.wrongType, "Double") }
    case .text: guard head.major == .text else { throw failure(.wrongType, "String") }
    case .bytes: guard head.major == .bytes else { throw failure(.wrongType, "a byte string") }
    case .uuid:
      guard head.major == .bytes else { throw failure(.wrongType, "UUID") }
      guard head.argument == 16 else { throw failure(.refused, "UUID") }
    case .url, .decimal: try checkText(row.kind, offset..<end)
    case .codable, .any:
      // The embedded value nests as deep as before, but the names around it may move it deeper.
      reader.move(to: offset)
      try reader.checkItem(depth: depth)
    default: throw failure(.refused, "a type of the shape")
    }
    output.append(bytes.extracting(offset..<end))
    offset = end
  }

  private func checkText(_ kind: NamedTable.Row.Kind, _ range: Range<Int>) throws(CodingFailure) {
    let item = DecodingItem(bytes: bytes.extracting(range).copied, offset: 0, parent: nil, step: nil)
    do throws(CodingFailure) {
      if kind == .url { _ = try item.decode(URL.self) } else { _ = try item.decode(Decimal.self) }
    } catch {
      throw error.moved(by: range.lowerBound, under: [])
    }
  }
}
