package import AnnalsCoding

/// A walk through one payload by name that finds the values that a rewrite loses: those under keys that the
/// shape does not have, and those of fields that a plan removes.
///
/// It accepts the same payloads as ``NamedReading``, so it finds every key that ``NamedReading`` skips.
struct LossReading: ~Copyable, ~Escapable {
  private let table: NamedTable
  private let removals: FieldRemovals?
  private let uses: FieldUses?
  /// Whether to find keys that the shape does not have.
  private let findsUndeclared: Bool
  private var reader: CBORReader
  private var path: [ExactText] = []
  private var place: [LostValue.Step] = []
  private var steps: [FieldRemovals.Step] = []
  /// The values, once for each place.
  private(set) var found: [LostValue] = []

  @_lifetime(copy bytes)
  init(
    _ table: NamedTable, _ bytes: Span<UInt8>, _ removals: FieldRemovals? = nil, findsUndeclared: Bool = true
  ) {
    self.table = table
    self.removals = removals
    self.findsUndeclared = findsUndeclared
    uses = removals?.last
    reader = CBORReader(bytes)
  }

  /// Walks through the payload.
  mutating func run() throws(CodingFailure) {
    try value(of: 0, uses?.root ?? .all)
  }

  /// Reads a value of the type `number`.
  private mutating func value(of number: Int32, _ use: FieldUses.Use) throws(CodingFailure) {
    if !findsUndeclared, uses?.isAll(use) != false { return try skip() }
    var row = table.rows[Int(number)]
    while row.kind == .optional {
      if try reader.peek() == 0xf6 { return try skip() }
      row = table.rows[Int(row.first)]
    }
    switch row.kind {
    case .record: try record(row, use, ofCase: nil)
    case .choice: try choice(row, use)
    case .list, .set:
      let inner = uses?.element(of: use) ?? .all
      steps.append(.element)
      for index in 0..<(try reader.head().argument) {
        try inside(.index(Int(clamping: index)), row.first, inner)
      }
      steps.removeLast()
    case .map:
      let inner = uses?.value(of: use) ?? .all
      steps.append(.value)
      for _ in 0..<(try reader.head().argument) {
        let key = try text(key())
        try inside(.key(key), row.second, inner)
      }
      steps.removeLast()
    case .pairs:
      let inner = uses?.value(of: use) ?? .all
      steps.append(.value)
      for index in 0..<(try reader.head().argument) {
        _ = try reader.head()
        place.append(.index(Int(clamping: index)))
        try inside(.index(0), row.first, .all)
        try inside(.index(1), row.second, inner)
        place.removeLast()
      }
      steps.removeLast()
    default: try skip()
    }
  }

  /// Reads a value that has no name in a path.
  private mutating func inside(
    _ step: LostValue.Step, _ type: Int32, _ use: FieldUses.Use
  ) throws(CodingFailure) {
    place.append(step)
    try value(of: type, use)
    place.removeLast()
  }

  /// Skips an item.
  private mutating func skip() throws(CodingFailure) {
    reader.move(to: try reader.bytes.end(ofItems: 1, from: reader.offset))
  }

  /// Reads the next key.
  private mutating func key() throws(CodingFailure) -> Range<Int> {
    let start = reader.offset
    try skip()
    return start..<reader.offset
  }

  /// Returns the text of a key.
  private func text(_ key: Range<Int>) throws(CodingFailure) -> ExactText {
    var reader = CBORReader(reader.bytes, at: key.lowerBound)
    return ExactText(try reader.text(reader.take(reader.head().argument)))
  }

  /// Returns the order of a key and an encoded name: below 0 if the key sorts first, 0 if they are equal.
  private func order(of key: Range<Int>, against name: NamedTable.Name, in pool: [UInt8]) -> Int {
    let known = pool.span.extracting(Int(name.start)..<Int(name.end))
    let found = reader.bytes.extracting(key)
    return known.isEqual(to: found) ? 0 : known.precedes(found) ? 1 : -1
  }

  /// Reads the value of a key, which is lost.
  private mutating func lose(_ name: ExactText, in version: SchemaVersion?) throws(CodingFailure) {
    let start = reader.offset
    try skip()
    found.append(
      LostValue(
        path: path + [name], place: place + [.key(name)], bytes: start..<reader.offset, removedIn: version))
  }

  /// Reads the value of a key that the shape does not have.
  private mutating func undeclared(_ key: Range<Int>) throws(CodingFailure) {
    guard findsUndeclared else { return try skip() }
    try lose(text(key), in: nil)
  }

  private mutating func record(
    _ row: NamedTable.Row, _ use: FieldUses.Use, ofCase number: Int?
  ) throws(CodingFailure) {
    let end = Int(row.first) &+ Int(row.second)
    let (fields, sorted, pool) = (table.fields, table.sorted, table.pool)
    // Keys and names are both sorted, as when the payload is decoded.
    var next = Int(row.first)
    for _ in 0..<(try reader.head().argument) {
      let key = try key()
      var index: Int?
      while next < end {
        let candidate = Int(sorted[next])
        let order = order(of: key, against: fields[candidate].name, in: pool)
        if order >= 0 { next &+= 1 }
        if order == 0 { index = candidate }
        if order <= 0 { break }
      }
      guard let index else {
        try undeclared(key)
        continue
      }
      let part = index &- Int(row.first)
      try field(fields[index], number.map { .held(part, ofCase: $0) } ?? .field(part), use)
    }
  }

  /// Reads the value of a field.
  private mutating func field(
    _ field: NamedTable.Field, _ step: FieldRemovals.Step, _ use: FieldUses.Use
  ) throws(CodingFailure) {
    let name = ExactText(table.text(field.name))
    steps.append(step)
    defer { steps.removeLast() }
    let inner = uses?.follow(step, from: use) ?? .all
    if let removals, let uses, uses.isNothing(inner) {
      // Null does not count as a value.
      return try reader.peek() == 0xf6 ? skip() : lose(name, in: removals.version(removing: steps))
    }
    path.append(name)
    try inside(.key(name), field.type, inner)
    path.removeLast()
  }

  private mutating func choice(_ row: NamedTable.Row, _ use: FieldUses.Use) throws(CodingFailure) {
    guard CBORHead.Major(ofFirst: try reader.peek()) == .map else { return try skip() }
    let first = Int(row.first)
    let cases = table.cases[first..<first &+ Int(row.second)]
    let pool = table.pool
    for _ in 0..<(try reader.head().argument) {
      let key = try key()
      let number = cases.indices.first { order(of: key, against: cases[$0].name, in: pool) == 0 }
      guard let number else {
        try undeclared(key)
        continue
      }
      let name = ExactText(table.text(cases[number].name))
      path.append(name)
      place.append(.key(name))
      try record(table.rows[Int(cases[number].values)], use, ofCase: number &- first)
      path.removeLast()
      place.removeLast()
    }
  }
}

extension NamedForm {
  /// Returns the values of `map` that a rewrite loses: those of keys that the shape does not have, which
  /// ``read(_:to:)`` skips, and those in `removals`.
  ///
  /// Elements of arrays and values of dictionaries have no part of their own in a path.
  ///
  /// - Parameters:
  ///   - map: A payload that ``read(_:to:)`` accepts.
  ///   - removals: The fields of the shape that a plan removes.
  /// - Throws: ``CodingFailure`` if it does not.
  /// - Complexity: O(bytes).
  package func losses(
    in map: Span<UInt8>, _ removals: FieldRemovals? = nil, findsUndeclared: Bool = true
  ) throws(CodingFailure) -> [LostValue] {
    var reading = LossReading(table, map, removals, findsUndeclared: findsUndeclared)
    try reading.run()
    return reading.found
  }

  /// Returns the paths of the keys in `map` that the shape does not have, once for each place.
  func undeclared(in map: Span<UInt8>) throws(CodingFailure) -> [[ExactText]] {
    try losses(in: map).map(\.path)
  }
}
