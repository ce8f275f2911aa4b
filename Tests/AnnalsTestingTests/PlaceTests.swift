import Annals
import Foundation
import Testing

@testable import AnnalsTesting

@Suite struct PlaceTests {
  private static func place(
    _ position: Position, _ revision: Revision, _ path: [UInt32] = [], in stream: StreamName = "a",
    id: UUID? = nil, time: Int64 = 0
  ) -> Place {
    Place(
      position: position, stream: stream, revision: revision, path: path, id: id,
      time: Timestamp(microseconds: time))
  }

  private let stored: [Position: Place] = [
    1: place(1, 0), 2: place(2, 0, in: "b"), 3: place(3, 1),
  ]

  @Test func `parts with paths that rise and gaps of dropped entries keep the law`() throws {
    try Place.check(
      [Self.place(1, 0, [0]), Self.place(1, 0, [0, 1]), Self.place(1, 0, [1]), Self.place(3, 1)],
      against: stored)
    try Place.check([], against: stored)
  }

  @Test(arguments: [
    [place(3, 1), place(1, 0)],
    [place(1, 0), place(1, 0)],
    [place(1, 0), place(1, 0, [0])],
    [place(1, 0, [1]), place(1, 0, [0])],
    [place(1, 0, [0]), place(1, 0, [0])],
    [place(2, 0)],
    [place(3, 2)],
    [place(4, 2)],
    [place(1, 0, id: UUID())],
    [place(1, 0, time: 1)],
  ])
  func `an event out of its place breaks the law`(events: [Place]) {
    #expect(throws: LawFailure.self) { try Place.check(events, against: stored) }
  }
}
