import AnnalsCoding
import AnnalsTestSupport
import Testing

@testable import AnnalsProjections

/// Rows that a fold keeps as bytes.
@Suite struct PackedRowsTests {
  @Test(arguments: [1, 2, 3])
  func `rows are found by number, whatever replaces or removes others`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var packed = PackedRows()
    var expected: [Int: [UInt8]] = [:]
    for step in 0..<20_000 {
      let number = Int.random(in: 0..<300, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        packed.remove(number)
        expected[number] = nil
      case 1:
        packed.giveUp(number)
        expected[number] = nil
      default:
        let row = [UInt8](
          repeating: UInt8(truncatingIfNeeded: step), count: Int.random(in: 1...1_500, using: &random))
        packed.next = row
        packed.take(number)
        expected[number] = row
      }
      #expect(packed.has(number) == (expected[number] != nil))
      #expect(packed[number].copied == expected[number] ?? [])
    }
    for number in 0..<300 { #expect(packed[number].copied == expected[number] ?? []) }
    packed.removeAll()
    #expect(!(0..<300).contains { packed.has($0) })
  }

  @Test func `memory beyond that of rows that grow is bounded, and returned with them`() {
    var packed = PackedRows()
    for count in 1...2_000 {
      for number in 0..<100 {
        packed.next = [UInt8](repeating: 7, count: count)
        packed.take(number)
      }
    }
    let rows = 100 * 2_000
    #expect(packed.excess < 4 * rows + PackedRows.mostLost)
    packed.removeAll()
    #expect(packed.excess == 0)
  }
}
