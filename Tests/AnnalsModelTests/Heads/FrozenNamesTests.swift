import AnnalsCoding
import Testing

@testable import AnnalsFormat

@Suite struct FrozenNamesTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `names are sorted by their bytes, and keep their streams`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let names = Self.names(&random)
    var frozen = FrozenNames()
    for (index, name) in names.enumerated() { frozen.add(name.span, id: UInt64(index + 1)) }
    frozen.sort()
    if seed.isMultiple(of: 2) { frozen.gather() }
    let sorted = names.enumerated().sorted { $0.element.lexicographicallyPrecedes($1.element) }
    #expect(frozen.count == sorted.count, "seed \(seed)")
    for (index, (place, name)) in sorted.enumerated() {
      #expect(frozen.name(index).copied == name, "seed \(seed), place \(index)")
      #expect(frozen.id(index) == UInt64(place + 1), "seed \(seed), place \(index)")
    }
  }

  @Test func `no names and a single one are sorted as they are`() {
    var frozen = FrozenNames()
    frozen.sort()
    #expect(frozen.count == 0)
    let name: [UInt8] = [0]
    frozen.add(name.span, id: 7)
    frozen.sort()
    #expect(frozen.name(0).copied == [0])
    frozen.gather()
    #expect(frozen.name(0).copied == [0])
    #expect(frozen.id(0) == 7)
  }

  /// Different names: of few bytes, with zeros, prefixes of one another, and equal in up to forty bytes.
  private static func names(_ random: inout SeededGenerator) -> [[UInt8]] {
    let prefix = (0..<Int.random(in: 0...20, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    var names: Set<[UInt8]> = []
    for _ in 0..<Int.random(in: 1...300, using: &random) {
      var name = prefix
      if Bool.random(using: &random) {
        name += Array(
          repeating: UInt8.random(in: 0...1, using: &random), count: .random(in: 0...40, using: &random))
      }
      for _ in 0..<Int.random(in: 0...6, using: &random) { name.append(.random(in: 0...3, using: &random)) }
      if !name.isEmpty { names.insert(name) }
    }
    return names.shuffled(using: &random)
  }
}
