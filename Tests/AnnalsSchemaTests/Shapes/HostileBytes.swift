/// Bytes that are nearly a payload, or not at all.
enum HostileBytes {
  /// Some variants of `payload`: with bytes changed, cut out and put in, cut off, and random ones.
  static func variants(of payload: [UInt8], using generator: inout SeededGenerator) -> [[UInt8]] {
    var variants: [[UInt8]] = [[]]
    let heads: [UInt8] = [
      0x00, 0x20, 0x40, 0x60, 0x80, 0x81, 0x9b, 0xbb, 0x5b, 0x7b, 0xc0, 0xf6, 0xf9, 0xfb, 0xff, 0x1b, 0x9f,
      0xa1,
    ]
    for _ in 0..<12 {
      var bytes = payload
      for _ in 0..<Int.random(in: 1...2, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = heads.randomElement(using: &generator) ?? 0
        case 1: bytes[place] = .random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: place)
        default: bytes.insert(heads.randomElement(using: &generator) ?? 0, at: place)
        }
      }
      variants.append(bytes)
    }
    variants.append(Array(payload.prefix(Int.random(in: 0...payload.count, using: &generator))))
    variants.append(
      (0..<Int.random(in: 0...40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    return variants
  }
}
