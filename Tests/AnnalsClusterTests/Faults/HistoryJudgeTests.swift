import Testing

@testable import ClusterTool

/// The judge finds what it is there for.
@Suite struct HistoryJudgeTests {
  private let judge = HistoryJudge(places: [1: 10, 2: 11, 3: 12])

  @Test func `a history without a fault has none`() {
    #expect(
      judge.faults(of: [
        RecordedCall(.stored, 0, 5, marks: [1], positions: [10]),
        RecordedCall(.stored, 6, 9, marks: [2, 3], positions: [11, 12], expected: 4, found: 5),
        RecordedCall(.refused, 0, 9, marks: [7]), RecordedCall(.unknown, 0, 9, marks: [8, 9]),
      ]).isEmpty)
  }

  @Test(
    arguments: [
      RecordedCall(.stored, 0, 1, marks: [4], positions: [13]),
      RecordedCall(.stored, 0, 1, marks: [1], positions: [11]),
      RecordedCall(.stored, 0, 1, marks: [1], positions: [10], expected: 3, found: 3),
      RecordedCall(.refused, 0, 1, marks: [3]), RecordedCall(.unknown, 0, 1, marks: [3, 4]),
      RecordedCall(.broken, 0, 1, marks: [1], positions: [10, 11]),
    ])
  func `a lost, moved, doubled or half event is found`(_ call: RecordedCall) {
    #expect(judge.faults(of: [call]).count == 1)
  }

  @Test func `a call that comes before one that ended earlier is found`() {
    let late = RecordedCall(.stored, 6, 9, marks: [1], positions: [10])
    let early = RecordedCall(.stored, 0, 5, marks: [2], positions: [11])
    #expect(judge.faults(of: [late, early]).count == 1)
    var overlapping = late
    overlapping.start = 5
    #expect(judge.faults(of: [overlapping, early]).isEmpty)
  }

  @Test func `a line of a call is read as it was written, and a cut one is not`() {
    let calls = [
      RecordedCall(.stored, 1, 2, marks: [1, 2], positions: [3, 4], expected: 5, found: 6),
      RecordedCall(.refused, 1, 2, marks: []),
    ]
    for call in calls { #expect(RecordedCall(call.line) == call) }
    #expect(RecordedCall(calls[0].line.dropLast(2)) == nil)
    #expect(RecordedCall("ready") == nil)
  }
}
