extension RecordShape {
  /// A random payload of this shape, as a tree.
  func randomValue(using generator: inout SeededGenerator, depth: Int = 4) -> CBOR {
    ValueShape.record(fields).randomValue(in: [], using: &generator, depth: depth)
  }
}

extension ValueShape {
  /// A random value by shape; `enclosing` are the records and choices around it, outermost first.
  func randomValue(
    in enclosing: [ValueShape], using generator: inout SeededGenerator, depth: Int
  ) -> CBOR {
    func inner(_ shape: ValueShape) -> CBOR {
      shape.randomValue(in: enclosing, using: &generator, depth: depth - 1)
    }
    func held(_ fields: [FieldShape]) -> [CBOR] {
      fields.map { $0.shape.randomValue(in: enclosing + [self], using: &generator, depth: depth - 1) }
    }
    func count() -> Int { depth > 0 ? Int.random(in: 0...3, using: &generator) : 0 }
    switch self {
    case .bool: return .bool(Bool.random(using: &generator))
    case .integer(let integer): return integer.randomValue(using: &generator)
    case .float:
      return .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))).quiet)
    case .double, .date:
      let numbers = [
        0, -0.0, 1, 0.5, 82.5, 1e300, .infinity, -3, 65_504, Double(bitPattern: generator.next()),
      ]
      return .double((numbers.randomElement(using: &generator) ?? 0).quiet)
    case .text:
      return .text(
        ["", "a", "Bench press", "e\u{301}", "\u{e9}", "日本語", "x"].randomElement(using: &generator) ?? "")
    case .bytes: return .bytes((0..<count()).map { _ in .random(in: 0...255, using: &generator) })
    case .uuid: return .bytes((0..<16).map { _ in .random(in: 0...255, using: &generator) })
    case .url:
      return .text(["https://a.example/b?c=d", "x:y", "/path"].randomElement(using: &generator) ?? "")
    case .decimal: return .text(["0", "1.5", "-12345.6789"].randomElement(using: &generator) ?? "")
    case .optional(let wrapped):
      return depth <= 0 || Bool.random(using: &generator) ? .null : inner(wrapped)
    case .list(let element): return .array((0..<count()).map { _ in inner(element) })
    case .set(let element):
      return .array(Self.ordered((0..<count()).map { _ in [inner(element)] }).map { $0[0] })
    case .map(let key, let value):
      let pairs = Self.ordered((0..<count()).map { _ in [inner(key), inner(value)] })
      return key == .text
        ? .map(pairs.map { CBOR.Pair($0[0], $0[1]) }) : .array(pairs.map { .array($0) })
    case .record(let fields): return .array(held(fields))
    case .choice(let cases):
      // The first case holds nothing, so that values end.
      let number = depth <= 0 ? 0 : Int.random(in: 0..<cases.count, using: &generator)
      let values = held(cases[number].values)
      return values.isEmpty ? CBOR(number) : .array([CBOR(number)] + values)
    case .enclosing(let level):
      let place = enclosing.count - 1 - level
      return enclosing[place].randomValue(
        in: Array(enclosing[..<place]), using: &generator, depth: depth - 1)
    case .codable, .any: return CBOR.random(using: &generator, depth: 1)
    }
  }

  /// Rows sorted by the encoded bytes of their first items, which are unique.
  private static func ordered(_ rows: [[CBOR]]) -> [[CBOR]] {
    var known: [[UInt8]: [CBOR]] = [:]
    for row in rows {
      if let key = try? row[0].encodedPayload() { known[key] = row }
    }
    return known.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}

extension IntegerShape {
  /// A random number of the range, often one of its ends.
  func randomValue(using generator: inout SeededGenerator) -> CBOR {
    let bits: UInt64 =
      switch self {
      case .int8, .uint8: 8
      case .int16, .uint16: 16
      case .int32, .uint32: 32
      case .int64, .uint64: 64
      }
    let isSigned = [.int8, .int16, .int32, .int64].contains(self)
    let most = UInt64.max >> (64 - (isSigned ? bits - 1 : bits))
    let number: UInt64 = [0, 1, most, generator.next() & most].randomElement(using: &generator) ?? 0
    return isSigned && Bool.random(using: &generator) ? .negative(number) : .unsigned(number)
  }
}

extension Double {
  /// The number, the usual NaN for every NaN: conversions of the machine set the bits of the others.
  fileprivate var quiet: Double { isNaN ? .nan : self }
}
