extension CBOR {
  /// A random value that a payload may hold, at most `depth` containers deep.
  static func random(using generator: inout SeededGenerator, depth: Int = 5) -> CBOR {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 9), using: &generator) {
    case 0: return .unsigned(.random(in: 0...300, using: &generator))
    case 1: return .unsigned(generator.next() >> UInt64.random(in: 0...63, using: &generator))
    case 2: return .negative(generator.next() >> UInt64.random(in: 0...63, using: &generator))
    case 3: return .double(Double(bitPattern: generator.next()))
    case 4: return .double(interesting.randomElement(using: &generator) ?? 0)
    case 5: return .text(randomText(using: &generator))
    case 6:
      return .bytes(
        (0..<Int.random(in: 0...40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    case 7: return .bool(Bool.random(using: &generator))
    case 8: return .null
    case 9:
      return .array(
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in random(using: &generator, depth: depth - 1)
        })
    default:
      var keys: Set<[UInt8]> = []
      var pairs: [Pair] = []
      for _ in 0..<Int.random(in: 0...7, using: &generator) {
        let key =
          Bool.random(using: &generator)
          ? randomText(using: &generator) : names.randomElement(using: &generator) ?? ""
        if keys.insert([UInt8](key.utf8)).inserted {
          pairs.append(Pair(.text(key), random(using: &generator, depth: depth - 1)))
        }
      }
      return .map(pairs)
    }
  }

  private static let interesting: [Double] = [
    0, -0.0, 1, 1.5, -2, 0.1, 65504, 65505, 5.960464477539063e-8, 0x1p-25, 0x1p-126, 0x1p-149, 0x1p-150, 1e16,
    1e300,
    .infinity, -.infinity, .nan, Double(bitPattern: 0x7ff0_0000_0000_0001),
    Double(bitPattern: 0xfff8_0000_2000_0000),
    .leastNonzeroMagnitude, .greatestFiniteMagnitude, Double(Float.greatestFiniteMagnitude),
  ]

  private static let names = [
    "$bytes", "$double", "$$bytes", "$$$double", "$", "a", "id", "naïve", "nai\u{308}ve", "", "🏏",
  ]

  private static func randomText(using generator: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      let scalar: UInt32 =
        switch Int.random(in: 0...9, using: &generator) {
        case 0: .random(in: 0...0x1f, using: &generator)
        case 1: .random(in: 0x80...0x7ff, using: &generator)
        case 2: .random(in: 0x2000...0x2fff, using: &generator)
        case 3: .random(in: 0x1_0000...0x10_ffff, using: &generator)
        default: .random(in: 0x20...0x7f, using: &generator)
        }
      text.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\"")
    }
    return text
  }
}
