import AnnalsTestSupport

/// Makes payloads out of payloads: mostly nearly right, sometimes far from it.
struct Mutator {
  /// The longest payload that is made, in bytes.
  static let limit = 4096

  var generator: SeededGenerator

  /// `payload` after one to four changes, some of which take from `other`.
  mutating func mutated(_ payload: [UInt8], with other: [UInt8]) -> [UInt8] {
    var bytes = payload
    // Half of the time a single change: several of them are mostly refused for the first.
    let changes = Bool.random(using: &generator) ? 1 : Int.random(in: 2...4, using: &generator)
    for _ in 0..<changes { change(&bytes, other) }
    if bytes.count > Self.limit { bytes.removeSubrange(Self.limit...) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    let end = Int.random(in: place...bytes.count, using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1:
      guard place < bytes.count else { return }
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2:
      guard place < bytes.count else { return }
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    case 3:
      // The low bits of a head are a length or a number: one more or one less.
      guard place < bytes.count else { return }
      bytes[place] = Bool.random(using: &generator) ? bytes[place] &+ 1 : bytes[place] &- 1
    case 4: bytes.insert(contentsOf: head(), at: place)
    case 5:
      guard place < bytes.count else { return }
      bytes.replaceSubrange(place...place, with: head())
    case 6: bytes.removeSubrange(place..<min(end, place + 8))
    case 7: bytes.removeSubrange(place...)
    case 8: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 9, 10:
      let from = Int.random(in: 0...other.count, using: &generator)
      let to = Int.random(in: from...other.count, using: &generator)
      bytes.replaceSubrange(place..<end, with: other[from..<to])
    default:
      let levels = Int.random(in: 1...80, using: &generator)
      bytes.insert(contentsOf: [UInt8](repeating: bytes.first ?? 0x81, count: levels), at: place)
    }
  }

  /// The head of an item of any type with a number of any size, which may be in more bytes than it needs.
  private mutating func head() -> [UInt8] {
    let major = UInt8.random(in: 0...7, using: &generator) << 5
    let number = generator.next() >> UInt64.random(in: 0...63, using: &generator)
    let width = Int.random(in: 0...4, using: &generator)
    guard width > 0 else { return [major | UInt8.random(in: 0...31, using: &generator)] }
    let bytes = 1 << (width - 1)
    return [major | UInt8(23 + width)]
      + (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
  }
}
