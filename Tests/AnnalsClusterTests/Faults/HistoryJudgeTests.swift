import Testing

@testable import ClusterTool

/// The judge finds what it is there for.
@Suite struct HistoryJudgeTests {
  private let judge = HistoryJudge(places: [1: 10, 2: 11, 3: 12])

  private static func call(
    _ outcome: RecordedCall.Outcome, _ start: UInt64, _ end: UInt64, _ marks: [Int], at: [UInt64] = [],
    expected: Int? = nil, revisions: [UInt64] = []
  ) -> RecordedCall {
    RecordedCall(
      outcome, start, end,
      [
        RecordedCall.Part(
          stream: "hot-1", expected: expected, marks: marks, positions: at, revisions: revisions)
      ])
  }

  @Test func `a history without a fault has none`() {
    #expect(
      judge.faults(of: [
        Self.call(.stored, 0, 5, [1], at: [10]),
        Self.call(.stored, 6, 9, [2, 3], at: [11, 12], expected: 4, revisions: [5, 6]),
        Self.call(.refused, 0, 9, [7]), Self.call(.unknown, 0, 9, [8, 9]),
      ]).isEmpty)
  }

  @Test(
    arguments: [
      call(.stored, 0, 1, [4], at: [13]), call(.stored, 0, 1, [1], at: [11]),
      call(.stored, 0, 1, [1], at: [10], expected: 3, revisions: [3]),
      call(.stored, 0, 1, [1], at: [10], expected: -1, revisions: [1]),
      call(.refused, 0, 1, [3]), call(.unknown, 0, 1, [3, 4]), call(.broken, 0, 1, [1], at: [10, 11]),
    ])
  func `a lost, moved, doubled or half event is found`(_ call: RecordedCall) {
    #expect(judge.faults(of: [call]).count == 1)
  }

  @Test func `a call that comes before one that ended earlier is found`() {
    let late = Self.call(.stored, 6, 9, [1], at: [10])
    let early = Self.call(.stored, 0, 5, [2], at: [11])
    #expect(judge.faults(of: [late, early]).count == 1)
    var overlapping = late
    overlapping.start = 5
    #expect(judge.faults(of: [overlapping, early]).isEmpty)
  }

  @Test func `a line of a call is read as it was written, and a cut one is not`() {
    let calls = [
      Self.call(.stored, 1, 2, [1, 2], at: [3, 4], expected: 5, revisions: [6, 7]),
      Self.call(.refused, 1, 2, []),
    ]
    for call in calls { #expect(RecordedCall(call.line) == call) }
    #expect(RecordedCall(calls[0].line.dropLast(2)) == nil)
    #expect(RecordedCall("ready") == nil)
  }

  @Test func `an answer goes to the parts of its call`() {
    var call = RecordedCall(
      .unknown, 1, 2,
      [.init(stream: "hot-1", marks: [1]), .init(stream: "hot-2", marks: [2, 3])])
    call.store([7, 8, 9], [4, 0, 1])
    #expect(call.outcome == .stored)
    #expect(call.parts.map(\.positions) == [[7], [8, 9]])
    #expect(call.parts.map(\.revisions) == [[4], [0, 1]])
  }
}
