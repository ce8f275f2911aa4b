/// A walk through one payload by name that finds the keys which a shape does not have.
///
/// It follows what ``NamedReading`` takes, so that every key which that passes over is found.
struct UndeclaredReading: ~Copyable, ~Escapable {
  private let table: NamedTable
  private var reader: CBORReader
  private var path: [ExactText] = []
  /// The paths of the keys, once for each place.
  private(set) var found: [[ExactText]] = []

  @_lifetime(copy bytes)
  init(_ table: NamedTable, _ bytes: Span<UInt8>) {
    self.table = table
    reader = CBORReader(bytes)
  }

  /// Takes a value of the type `number`.
  mutating func value(of number: Int32) throws(CodingFailure) {
    var row = table.rows[Int(number)]
    while row.kind == .optional {
      if try reader.peek() == 0xf6 { return try skip() }
      row = table.rows[Int(row.first)]
    }
    switch row.kind {
    case .record: try record(row)
    case .choice: try choice(row)
    case .list, .set:
      for _ in 0..<(try reader.head().argument) { try value(of: row.first) }
    case .map:
      for _ in 0..<(try reader.head().argument) {
        try skip()
        try value(of: row.second)
      }
    case .pairs:
      for _ in 0..<(try reader.head().argument) {
        _ = try reader.head()
        try value(of: row.first)
        try value(of: row.second)
      }
    default: try skip()
    }
  }

  /// Passes over an item.
  private mutating func skip() throws(CodingFailure) {
    reader.move(to: try reader.bytes.end(ofItems: 1, from: reader.offset))
  }

  /// Takes the next key.
  private mutating func key() throws(CodingFailure) -> Range<Int> {
    let start = reader.offset
    try skip()
    return start..<reader.offset
  }

  /// The text of a key that was taken.
  private func text(_ key: Range<Int>) throws(CodingFailure) -> ExactText {
    var reader = CBORReader(reader.bytes, at: key.lowerBound)
    return ExactText(try reader.text(reader.take(reader.head().argument)))
  }

  /// The order of a key and an encoded name: below 0 where the key sorts first, 0 where they are equal.
  private func order(of key: Range<Int>, against name: NamedTable.Name, in pool: [UInt8]) -> Int {
    let known = pool.span.extracting(Int(name.start)..<Int(name.end))
    let found = reader.bytes.extracting(key)
    return known.isEqual(to: found) ? 0 : known.precedes(found) ? 1 : -1
  }

  /// Takes the value of a key that the shape does not have.
  private mutating func undeclared(_ key: Range<Int>) throws(CodingFailure) {
    found.append(path + [try text(key)])
    try skip()
  }

  private mutating func record(_ row: NamedTable.Row) throws(CodingFailure) {
    let end = Int(row.first) &+ Int(row.second)
    let (fields, sorted, pool) = (table.fields, table.sorted, table.pool)
    // Keys and names are both sorted, as where the payload is read.
    var next = Int(row.first)
    for _ in 0..<(try reader.head().argument) {
      let key = try key()
      var field: NamedTable.Field?
      while next < end {
        let candidate = fields[Int(sorted[next])]
        let order = order(of: key, against: candidate.name, in: pool)
        if order >= 0 { next &+= 1 }
        if order == 0 { field = candidate }
        if order <= 0 { break }
      }
      guard let field else {
        try undeclared(key)
        continue
      }
      path.append(ExactText(table.text(field.name)))
      try value(of: field.type)
      path.removeLast()
    }
  }

  private mutating func choice(_ row: NamedTable.Row) throws(CodingFailure) {
    guard CBORHead.Major(ofFirst: try reader.peek()) == .map else { return try skip() }
    let cases = table.cases[Int(row.first)..<Int(row.first) &+ Int(row.second)]
    let pool = table.pool
    for _ in 0..<(try reader.head().argument) {
      let key = try key()
      let known = cases.first { order(of: key, against: $0.name, in: pool) == 0 }
      guard let known else {
        try undeclared(key)
        continue
      }
      path.append(ExactText(table.text(known.name)))
      try record(table.rows[Int(known.values)])
      path.removeLast()
    }
  }
}

extension NamedForm {
  /// The paths of the keys in `map` that the shape does not have, once for each place; ``read(_:to:)`` passes
  /// over them.
  ///
  /// Elements of arrays and values of dictionaries have no part of their own in a path.
  ///
  /// - Parameter map: A payload that ``read(_:to:)`` takes.
  /// - Throws: ``CodingFailure`` where it does not take it.
  /// - Complexity: O(bytes).
  func undeclared(in map: Span<UInt8>) throws(CodingFailure) -> [[ExactText]] {
    var reading = UndeclaredReading(table, map)
    try reading.value(of: 0)
    return reading.found
  }
}
