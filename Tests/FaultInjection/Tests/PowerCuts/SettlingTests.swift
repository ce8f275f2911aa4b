import FaultPrograms
import Foundation
import Testing

/// Commits that fail while LMDB's meta page is written. The library determines their outcome while readers
/// are active.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct SettlingTests {
  /// The notes of the process, and the finding of an examination of its store.
  private struct Outcome {
    var notes: [CallJournal.Note]
    var marks: String
    var finding: String?
  }

  /// Makes the write of a meta page fail.
  ///
  /// - Parameters:
  ///   - isRecorded: Whether to fail the second write that follows a durable record, which has no flush of
  ///     its own. Otherwise the first write with a flush fails.
  ///   - times: The number of writes of it that fail from there on.
  ///   - reading: The number of milliseconds for which a snapshot is open meanwhile.
  ///   - isCrowded: Whether further snapshots take all other reader slots.
  private func run(
    _ how: String, isRecorded: Bool = false, times: Int = 1, reading: Int = 300, isCrowded: Bool = false
  ) throws -> Outcome {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let root = try scratch.directory("root")
    let (before, journal, report) = (
      try scratch.file("before"), try scratch.file("journal"), try scratch.file("report")
    )
    let first = try SubjectProcess.run(["attempt", root.path, before.path])
    try #require(first.end == .exit(0), "\(first.errors)")
    let run = try SubjectProcess.run(
      ["settle", root.path, journal.path, "\(reading)", isCrowded ? "1" : "0"], under: [Shim.failures],
      [
        "ANNALS_SHIM_ROOT": root.path, "ANNALS_SHIM_CALL": isRecorded ? "plain-meta" : "meta",
        "ANNALS_SHIM_AT": isRecorded ? "2" : "1",
        "ANNALS_SHIM_TIMES": "\(times)", "ANNALS_SHIM_REPORT": report.path, "ANNALS_SHIM_HOW": how,
      ])
    try #require(run.end == .exit(0), "\(run.errors)")
    let notes = CallJournal.notes(in: try String(contentsOf: journal, encoding: .utf8))
    var knowledge = Account(notes).knowledge
    knowledge.must.numbers.formUnion(0..<Attempt.calls)
    knowledge.may.numbers.formUnion(0..<Attempt.calls)
    let inspector = try Inspector(seed: Attempt.seed, calls: Settling.calls.upperBound)
    return Outcome(
      notes: notes, marks: try String(contentsOf: report, encoding: .utf8),
      finding: try inspector.finding(in: root, knowledge))
  }

  /// The same, repeated until the outcome is known. A reader without a processor for two seconds leaves it
  /// unknown.
  private func settled(_ how: String, isCrowded: Bool = false) throws -> Outcome {
    var outcome = try run(how, isCrowded: isCrowded)
    for _ in 0..<3 where outcome.notes.contains(.failed(Settling.watched, code: "outcomeUnknown")) {
      outcome = try run(how, isCrowded: isCrowded)
    }
    return outcome
  }

  /// The number of entries of these calls and all earlier ones.
  private func entries(_ calls: some Sequence<Int>) throws -> Int {
    try (Array(0..<Attempt.calls) + calls).map { try Call($0, seed: Attempt.seed).events.count }.sum()
  }

  /// The notes of a run in which the watched call ends with `note`.
  private func notes(watched note: CallJournal.Note) throws -> [CallJournal.Note] {
    var notes: [CallJournal.Note] = []
    for call in Settling.calls {
      notes += [.begin(call), call == Settling.watched ? note : .done(call)]
      if call == Settling.watched {
        notes.append(.read(try entries(Settling.calls.lowerBound..<Settling.watched)))
        if note == .failed(call, code: "outcomeUnknown") { return notes }
      }
    }
    return notes + [.read(try entries(Settling.calls.filter { note == .done($0) || $0 != Settling.watched }))]
  }

  @Test(arguments: [("\(EIO)", "notCommitted"), ("done", "notCommitted"), ("\(ENOSPC)", "diskFull")])
  func `a meta page that is not there is found out, and appends and readers go on`(
    how: String, code: String
  ) throws {
    let outcome = try settled(how)
    #expect(outcome.marks == "m")
    #expect(outcome.notes == (try notes(watched: .failed(Settling.watched, code: code))))
    #expect(outcome.finding == nil)
  }

  @Test func `a meta page that is there although its write failed is found out, and the call is answered`()
    throws
  {
    let outcome = try settled("kept")
    #expect(outcome.marks == "m!")
    #expect(outcome.notes == (try notes(watched: .done(Settling.watched))))
    #expect(outcome.finding == nil)
  }

  @Test(arguments: ["\(EIO)", "done", "\(ENOSPC)"])
  func `a commit whose record is durable is made again when its meta page fails, and the call is answered`(
    how: String
  ) throws {
    let outcome = try run(how, isRecorded: true)
    #expect(outcome.marks == "m")
    #expect(outcome.notes == (try notes(watched: .done(Settling.watched))))
    #expect(outcome.finding == nil)
  }

  @Test func `a second failure leaves the outcome unknown`() throws {
    let outcome = try run("\(EIO)", times: 2)
    #expect(outcome.marks == "mm")
    #expect(outcome.notes == (try notes(watched: .failed(Settling.watched, code: "outcomeUnknown"))))
    #expect(outcome.finding == nil)
  }

  @Test func `a reader that does not end leaves the outcome unknown, and reads to its end`() throws {
    let outcome = try run("\(EIO)", reading: 60_000)
    #expect(outcome.marks == "m")
    #expect(outcome.notes == (try notes(watched: .failed(Settling.watched, code: "outcomeUnknown"))))
    #expect(outcome.finding == nil)
  }

  @Test(arguments: [("kept", "m!", nil), ("\(EIO)", "m", "notCommitted")])
  func `with no slot left for a reader the outcome is still found out`(
    how: String, marks: String, code: String?
  ) throws {
    let outcome = try settled(how, isCrowded: true)
    #expect(outcome.marks == marks)
    let note = code.map { CallJournal.Note.failed(Settling.watched, code: $0) } ?? .done(Settling.watched)
    #expect(outcome.notes == (try notes(watched: note)))
    #expect(outcome.finding == nil)
  }

  @Test func `a stored call is never said to be missing while readers that do not end take every slot`()
    throws
  {
    let outcome = try run("kept", reading: 60_000, isCrowded: true)
    #expect(outcome.marks == "m!")
    #expect(outcome.notes == (try notes(watched: .failed(Settling.watched, code: "outcomeUnknown"))))
    #expect(outcome.finding == nil)
  }

  @Test(arguments: ["\(EIO)", "done", "kept"])
  func `a failed commit without an entry fails its call alone`(how: String) throws {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let root = try scratch.directory("root")
    let (journal, report) = (try scratch.file("journal"), try scratch.file("report"))
    let first = try SubjectProcess.run(["attempt", root.path, try scratch.file("before").path])
    try #require(first.end == .exit(0), "\(first.errors)")
    let run = try SubjectProcess.run(
      ["settle-tags", root.path, journal.path], under: [Shim.failures],
      [
        "ANNALS_SHIM_ROOT": root.path, "ANNALS_SHIM_CALL": "meta", "ANNALS_SHIM_AT": "1",
        "ANNALS_SHIM_TIMES": "1", "ANNALS_SHIM_REPORT": report.path, "ANNALS_SHIM_HOW": how,
      ])
    try #require(run.end == .exit(0), "\(run.errors)")
    #expect(try String(contentsOf: report, encoding: .utf8).hasPrefix("m"))
    let notes = Settling.calls.flatMap { call -> [CallJournal.Note] in
      [.begin(call), call == Settling.watched ? .failed(call, code: "outcomeUnknown") : .done(call)]
    }
    #expect(CallJournal.notes(in: try String(contentsOf: journal, encoding: .utf8)) == notes)
  }
}
