internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A conversion of one payload by name to its form by shape. It has been checked, so that nesting and lengths
/// are bounded.
struct NamedReading: ~Copyable, ~Escapable {
  private let table: NamedTable
  private let rows: Span<NamedTable.Row>
  private let fields: Span<NamedTable.Field>
  private let sorted: Span<Int32>
  private let cases: Span<NamedTable.Case>
  private let pool: Span<UInt8>
  private let bytes: Span<UInt8>
  private var offset = 0
  /// The offsets of the values of fields, of one record after the other; −1 for fields not found.
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

  /// Reads a value of the type `number` and appends its form by shape.
  mutating func value(of number: Int32, to output: inout [UInt8]) throws(CodingFailure) {
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
      output.appendHead(.array, UInt64(row.second))
      try record(row, to: &output)
    case .choice: try choice(row, to: &output)
    case .list:
      let count = try head(.array, "an array").argument
      output.appendHead(.array, count)
      for index in 0..<count { try element(row.first, index, to: &output) }
    case .set:
      let start = offset
      let count = try head(.array, "an array").argument
      output.appendHead(.array, count)
      var order = KeyOrder(at: output.count)
      for index in 0..<count {
        try element(row.first, index, to: &output)
        order.endKey(in: output)
        order.endValue(in: output)
      }
      guard order.sort(&output) == nil else { throw CodingFailure(.duplicateKey, at: start) }
    case .map:
      let count = try head(.map, "a map").argument
      output.appendHead(.map, count)
      for _ in 0..<count {
        let start = offset
        try copy(to: &output)
        let place = offset
        do throws(CodingFailure) {
          try value(of: row.second, to: &output)
        } catch {
          var reader = CBORReader(bytes, at: start)
          let length = try reader.head().argument
          throw error.moved(under: [try reader.text((place &- Int(length))..<place)])
        }
      }
    case .pairs: try pairs(row, to: &output)
    default: try scalar(row, to: &output)
    }
  }

  private mutating func element(
    _ type: Int32, _ index: UInt64, to output: inout [UInt8]
  ) throws(CodingFailure) {
    do throws(CodingFailure) {
      try value(of: type, to: &output)
    } catch {
      throw error.moved(under: [String(index)])
    }
  }

  private mutating func pairs(_ row: NamedTable.Row, to output: inout [UInt8]) throws(CodingFailure) {
    let start = offset
    let count = try head(.array, "an array of pairs").argument
    output.appendHead(.array, count)
    var order = KeyOrder(at: output.count)
    for index in 0..<count {
      guard bytes[offset] == 0x82 else { throw failure(.wrongType, "a pair").moved(under: [String(index)]) }
      offset &+= 1
      output.append(0x82)
      try element(row.first, index, to: &output)
      order.endKey(in: output)
      try element(row.second, index, to: &output)
      order.endValue(in: output)
    }
    guard order.sort(&output) == nil else { throw CodingFailure(.duplicateKey, at: start) }
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

  /// Reads a map of fields and appends their values in the order of the shape.
  private mutating func record(_ row: NamedTable.Row, to output: inout [UInt8]) throws(CodingFailure) {
    let start = offset
    let pairs = try head(.map, "a map").argument
    let base = places.count
    let first = Int(row.first)
    let end = first &+ Int(row.second)
    for _ in first..<end { places.append(-1) }
    // Keys and names are both sorted, so that one walk over the two finds all.
    var next = first
    for _ in 0..<pairs {
      let keyEnd = try bytes.end(ofItems: 1, from: offset)
      let key = bytes.extracting(offset..<keyEnd)
      while next < end {
        let field = Int(sorted[next])
        let name = fields[field].name
        let known = pool.extracting(Int(name.start)..<Int(name.end))
        if known.isEqual(to: key) {
          places[base &+ field &- first] = keyEnd
          next &+= 1
          break
        }
        guard known.precedes(key) else { break }
        next &+= 1
      }
      offset = try bytes.end(ofItems: 1, from: keyEnd)
    }
    let after = offset
    for index in first..<end {
      let field = fields[index]
      let place = places[base &+ index &- first]
      if place < 0 {
        guard rows[Int(field.type)].kind == .optional else {
          throw CodingFailure(.missingKey, at: start, path: [table.text(field.name)])
        }
        output.append(0xf6)
        continue
      }
      offset = place
      do throws(CodingFailure) {
        try value(of: field.type, to: &output)
      } catch {
        throw error.moved(under: [table.text(field.name)])
      }
    }
    places.removeSubrange(base...)
    offset = after
  }

  /// Returns the number of the case of `row` whose encoded name is at `key`.
  private func number(of key: Range<Int>, in row: NamedTable.Row) -> Int? {
    let key = bytes.extracting(key)
    for number in 0..<Int(row.second) {
      let name = cases[Int(row.first) &+ number].name
      if pool.extracting(Int(name.start)..<Int(name.end)).isEqual(to: key) { return number }
    }
    return nil
  }

  private mutating func choice(_ row: NamedTable.Row, to output: inout [UInt8]) throws(CodingFailure) {
    let start = offset
    if CBORHead.Major(ofFirst: bytes[offset]) == .text {
      let end = try bytes.end(ofItems: 1, from: offset)
      guard let number = number(of: offset..<end, in: row) else { throw failure(.refused, "a known case") }
      guard rows[Int(cases[Int(row.first) &+ number].values)].second == 0 else {
        throw failure(.wrongType, "a case with its values")
      }
      output.appendHead(.unsigned, UInt64(number))
      offset = end
      return
    }
    var found: (number: Int, place: Int)?
    for _ in 0..<(try head(.map, "a case").argument) {
      let keyEnd = try bytes.end(ofItems: 1, from: offset)
      if let number = number(of: offset..<keyEnd, in: row) {
        guard found == nil else { throw CodingFailure(.wrongType, at: start, detail: "one case wanted") }
        found = (number, keyEnd)
      }
      offset = try bytes.end(ofItems: 1, from: keyEnd)
    }
    let after = offset
    guard let found else { throw CodingFailure(.wrongType, at: start, detail: "one case wanted") }
    let oneCase = cases[Int(row.first) &+ found.number]
    let values = rows[Int(oneCase.values)]
    if values.second > 0 { output.appendHead(.array, UInt64(values.second) &+ 1) }
    output.appendHead(.unsigned, UInt64(found.number))
    offset = found.place
    do throws(CodingFailure) {
      try record(values, to: &output)
    } catch {
      throw error.moved(under: [table.text(oneCase.name)])
    }
    offset = after
  }

  private mutating func scalar(_ row: NamedTable.Row, to output: inout [UInt8]) throws(CodingFailure) {
    let byte = bytes[offset]
    let major = CBORHead.Major(ofFirst: byte)
    switch row.kind {
    case .bool:
      guard byte == 0xf4 || byte == 0xf5 else { throw failure(.wrongType, "Bool") }
      try copy(to: &output)
    case .integer:
      let shape = IntegerShape.allCases[Int(row.first)]
      guard major == .unsigned || major == .negative else { throw failure(.wrongType, shape.rawValue) }
      var reader = CBORReader(bytes, at: offset)
      guard shape.holds(try reader.head()) else { throw failure(.outOfRange, shape.rawValue) }
      try copy(to: &output)
    case .text:
      guard major == .text else { throw failure(.wrongType, "String") }
      try copy(to: &output)
    case .double where byte >= 0xf9 && byte <= 0xfb, .date where byte >= 0xf9 && byte <= 0xfb,
      .float where byte == 0xf9 || byte == 0xfa, .bytes where major == .bytes, .codable,
      .any:
      try copy(to: &output)
    case .nothing: throw failure(.refused, "a type of the shape")
    default: try lenient(row.kind, to: &output)
    }
  }

  /// Reads a value in an alternative form that only some types have, as the reader of `Codable` values
  /// accepts it.
  private mutating func lenient(
    _ kind: NamedTable.Row.Kind, to output: inout [UInt8]
  ) throws(CodingFailure) {
    let end = try bytes.end(ofItems: 1, from: offset)
    let item = DecodingItem(bytes: bytes.extracting(offset..<end).copied, offset: 0, parent: nil, step: nil)
    do throws(CodingFailure) {
      switch kind {
      case .double: output.appendDouble(try item.double())
      case .float: output.appendFloat(try item.float())
      case .date: output.appendDouble(try item.decode(Date.self).timeIntervalSinceReferenceDate)
      case .uuid:
        output.appendHead(.bytes, 16)
        output.append(contentsOf: try item.decode(UUID.self).bytes)
      case .bytes: output.appendByteString(try item.decode([UInt8].self))
      case .url: output.appendText(try item.decode(URL.self).absoluteString)
      default: output.appendText(try item.decode(Decimal.self).description)
      }
    } catch {
      throw error.moved(by: offset, under: [])
    }
    offset = end
  }
}
