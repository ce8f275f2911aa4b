import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration

/// The information about lost entries that follows from the intact ones around them.
@Suite struct LostEntriesTests {
  private typealias Place = LostEntries.Place

  private func losing(_ positions: UInt64...) throws -> LostEntries {
    var lost = LostEntries()
    for position in positions {
      try lost.lose(position, LostEntries.Loss(problem: "lost", time: nil, kind: nil))
    }
    return lost
  }

  @Test func `the target of a link has the place that the link gives`() throws {
    var lost = try losing(5)
    try lost.claim(5, Place(stream: 1, revision: 1))
    lost.beginWalk()
    try lost.see(Place(stream: 1, revision: 0), at: 1)
    try lost.see(Place(stream: 1, revision: 2), at: 8)
    try lost.endWalk()
    #expect(lost.places == [5: Place(stream: 1, revision: 1)])
    #expect(lost.fitted == [])
    #expect(lost.needsTargets)
    lost.reach(Place(stream: 1, revision: 0), at: 1)
    #expect(try lost.links(of: 5) == [4])
  }

  @Test func `an entry without a link to it is fitted between its neighbours`() throws {
    var lost = try losing(3, 6, 7)
    try lost.claim(6, Place(stream: 1, revision: 2))
    lost.beginWalk()
    try lost.see(Place(stream: 1, revision: 0), at: 1)
    try lost.see(Place(stream: 1, revision: 3), at: 8)
    try lost.endWalk()
    #expect(lost.places == [3: Place(stream: 1, revision: 1), 6: Place(stream: 1, revision: 2)])
    #expect(lost.fitted == [3])
    lost.reach(Place(stream: 1, revision: 0), at: 1)
    #expect(try lost.links(of: 3) == [2])
    #expect(try lost.links(of: 6) == [3])
    #expect(try lost.links(of: 7) == [])
  }

  @Test func `the gap that must be filled first is filled first`() throws {
    // Stream 1 lacks revision 1 before position 9, stream 2 lacks its own before position 7.
    var lost = try losing(4, 5, 6, 8)
    try lost.claim(6, Place(stream: 2, revision: 2))
    try lost.claim(8, Place(stream: 1, revision: 2))
    lost.beginWalk()
    try lost.see(Place(stream: 1, revision: 0), at: 1)
    try lost.see(Place(stream: 2, revision: 0), at: 2)
    try lost.endWalk()
    #expect(lost.places[4] == Place(stream: 2, revision: 1))
    #expect(lost.places[5] == Place(stream: 1, revision: 1))
  }

  @Test func `links that do not agree are refused`() throws {
    var lost = try losing(5)
    try lost.claim(5, Place(stream: 1, revision: 1))
    let error = #expect(throws: LostEntriesFailure.self) {
      try lost.claim(5, Place(stream: 2, revision: 1))
    }
    #expect(error?.position == 5)
  }

  @Test func `a revision that no lost entry can be is refused`() throws {
    var lost = try losing(5)
    try lost.claim(5, Place(stream: 1, revision: 2))
    lost.beginWalk()
    try lost.see(Place(stream: 1, revision: 0), at: 1)
    #expect(throws: LostEntriesFailure.self) { try lost.endWalk() }
  }

  @Test func `more lost entries than are listed are refused`() throws {
    var lost = LostEntries()
    let loss = LostEntries.Loss(problem: "lost", time: nil, kind: nil)
    for position in 1...UInt64(LostEntries.limit) { try lost.lose(position, loss) }
    #expect(throws: LostEntriesFailure.self) {
      try lost.lose(UInt64(LostEntries.limit) + 1, loss)
    }
  }
}
