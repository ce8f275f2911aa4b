import Testing

@testable import AnnalsFormat

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
    var table = HeadTable(checkpoint: positions[0] - 1, limit: 0)
    table.begin()
    let slot = table.begin(StreamHash("a"), hasID: false)
    let other = table.begin(StreamHash("b"), hasID: false)
    for revision in 1...1_500 {
      for _ in 0..<Int.random(in: 0...50, using: &generator) { _ = table.extend(other, hasID: false) }
      let links = table.extend(slot, hasID: false)
      let position = table.last
      positions.append(position)
      let head = table.slots.head(slot)
      var wanted: [UInt64] = []
      var step = 1
      while revision % step == 0 {
        wanted.append(position - positions[revision - step])
        if step > revision { break }
        step *= 4
        if step > revision { break }
      }
      #expect((0..<links.count).map { links[$0] } == wanted)
      for level in 0...5 where revision >= 1 << (2 * level) {
        #expect(head.newest(atLevel: level).rawValue == expected(positions, level: level))
      }
    }
  }

  @Test func `a row is read back as it was written`() throws {
    var table = HeadTable(checkpoint: 6, limit: 0)
    table.begin()
    let slot = table.begin(StreamHash("a"), hasID: true)
    for revision in 1...1_000 {
      let head = table.slots.head(slot)
      #expect(try Head(id: 7, head.encoded().span) == head)
      var row: [UInt8] = []
      table.slots.encode(slot, into: &row)
      #expect(row == head.encoded())
      _ = table.extend(slot, hasID: revision % 5 == 0)
    }
  }

  @Test func `a row that points before its stream is refused`() {
    let head = Head(id: 7, revision: 1, last: 9, levels: [], newestID: nil)
    #expect(throws: FormatFailure(.link, at: 0)) { try Head(id: 10, head.encoded().span) }
  }
}
