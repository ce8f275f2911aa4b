import Testing

@testable import Annals

@Suite struct HeadTests {
  /// What a head must say, worked out from a list of all positions of the stream.
  private func expected(_ positions: [UInt64], level: Int) -> UInt64 {
    let step = 1 << (2 * level)
    return positions[(positions.count - 1) / step * step]
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `each revision links to the newest multiples of powers of four before it`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var positions: [UInt64] = [UInt64.random(in: 1...1_000, using: &generator)]
    var head = Head(first: Position(positions[0]), hasID: false)
    for revision in 1...1_500 {
      let position = positions[revision - 1] + UInt64.random(in: 1...50, using: &generator)
      let links = head.advance(to: Position(position), hasID: false)
      positions.append(position)
      var wanted: [UInt64] = []
      var step = 1
      while revision % step == 0 {
        wanted.append(position - positions[revision - step])
        if step > revision { break }
        step *= 4
        if step > revision { break }
      }
      #expect(links == wanted)
      for level in 0...5 where revision >= 1 << (2 * level) {
        #expect(head.newest(atLevel: level).rawValue == expected(positions, level: level))
      }
    }
  }

  @Test func `a row is read back as it was written`() throws {
    var head = Head(first: 7, hasID: true)
    for position in 8...400 as ClosedRange<UInt64> {
      #expect(try Head(id: 7, head.encoded().span) == head)
      _ = head.advance(to: Position(position * 3), hasID: position % 5 == 0)
    }
  }

  @Test func `a row that points before its stream is refused`() {
    var head = Head(first: 7, hasID: false)
    _ = head.advance(to: 9, hasID: false)
    #expect(throws: FormatFailure(.link, at: 0)) { try Head(id: 10, head.encoded().span) }
  }
}
