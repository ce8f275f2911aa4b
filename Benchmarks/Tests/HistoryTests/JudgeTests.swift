import History
import Testing

@Suite struct `The judge of histories` {
  @Test func `appends and reads one after the other are linearizable`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 2, expect: 0), .appended(0, 2), .read(1), .found(1, 2), .append(1, 1, expect: nil),
      .appended(1, 3), .read(0), .found(0, 3),
    ])
    #expect(verdict == .linearizable)
  }

  @Test func `a read may come before an append that it overlaps`() throws {
    let verdict = try Judge.verdict(on: [.append(0, 1, expect: nil), .read(1), .found(1, 0), .appended(0, 1)])
    #expect(verdict == .linearizable)
  }

  @Test func `a read that began after an append must find it`() throws {
    let verdict = try Judge.verdict(on: [.append(0, 1, expect: nil), .appended(0, 1), .read(1), .found(1, 0)])
    #expect(verdict.isImpossible)
  }

  @Test func `reads do not go back`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 1, expect: nil), .read(1), .found(1, 1), .read(1), .found(1, 0), .appended(0, 1),
    ])
    #expect(verdict.isImpossible)
  }

  @Test func `two appends cannot follow the same entry`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 1, expect: 0), .append(1, 1, expect: 0), .appended(0, 1), .appended(1, 1),
    ])
    #expect(verdict.isImpossible)
  }

  @Test func `an append is done only where the stream is as expected`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 1, expect: nil), .appended(0, 1), .append(0, 1, expect: 0), .appended(0, 2),
    ])
    #expect(verdict.isImpossible)
  }

  @Test func `an append is not refused where the stream is as expected`() throws {
    let verdict = try Judge.verdict(on: [.append(0, 1, expect: 0), .refused(0, 0)])
    #expect(verdict.isImpossible)
  }

  @Test func `nobody finds the middle of an append`() throws {
    let verdict = try Judge.verdict(on: [.append(0, 3, expect: nil), .read(1), .found(1, 2), .appended(0, 3)])
    #expect(verdict.isImpossible)
  }

  @Test(arguments: [0, 2]) func `an append of a killed process was done or not`(_ found: Int) throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 2, expect: nil), .lost(0, 2, expect: nil), .read(1), .found(1, found),
    ])
    #expect(verdict == .linearizable)
  }

  @Test func `what was found of a killed process stays`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 2, expect: nil), .lost(0, 2, expect: nil), .read(1), .found(1, 2), .read(1), .found(1, 0),
    ])
    #expect(verdict.isImpossible)
  }

  @Test func `an append of a killed process still needs what it expected`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 2, expect: 1), .lost(0, 2, expect: 1), .read(1), .found(1, 2),
    ])
    #expect(verdict.isImpossible)
  }

  @Test func `a killed process fills only one gap`() throws {
    let verdict = try Judge.verdict(on: [
      .append(0, 1, expect: nil), .lost(0, 1, expect: nil), .append(1, 1, expect: nil), .appended(1, 2),
      .append(1, 1, expect: nil), .appended(1, 4),
    ])
    #expect(verdict.isImpossible)
  }

  @Test func `streams are judged apart`() throws {
    var other = HistoryLine.read(1)
    other.key = "b"
    var found = HistoryLine.found(1, 0)
    found.key = "b"
    let verdict = try Judge.verdict(on: [.append(0, 1, expect: nil), .appended(0, 1), other, found])
    #expect(verdict == .linearizable)
  }

  @Test func `a process does one thing after the other`() {
    #expect(throws: MalformedHistory.self) { try Judge.verdict(on: [.read(0), .read(0)]) }
  }

  @Test func `nothing ends that did not begin`() {
    #expect(throws: MalformedHistory.self) { try Judge.verdict(on: [.found(0, 0)]) }
  }

  @Test func `a killed process does not come back`() {
    #expect(throws: MalformedHistory.self) {
      try Judge.verdict(on: [.append(0, 1, expect: nil), .lost(0, 1, expect: nil), .read(0)])
    }
  }

  @Test(arguments: Control.allCases) func `a good history made wrong is rejected`(_ control: Control) throws {
    let good: [HistoryLine] = [
      .append(0, 1, expect: 0), .appended(0, 1), .append(1, 1, expect: nil), .appended(1, 2), .read(0),
      .found(0, 2),
    ]
    let verdict = try Judge.verdict(on: good)
    #expect(verdict == .linearizable)
    let spoiled = try #require(control.spoil(good))
    let other = try Judge.verdict(on: spoiled)
    #expect(other.isImpossible)
  }
}

extension Judge.Verdict {
  /// Whether no order was found.
  var isImpossible: Bool { self != .linearizable }
}
