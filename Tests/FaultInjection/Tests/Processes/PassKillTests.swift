import FaultPrograms
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// A pass that is killed at each of its named steps.
@Suite(.serialized) struct PassKillTests {
  /// The steps of a pass that is not restarted.
  private static let steps = PassPoint.allCases.filter { ![.removing, .removed, .cleared].contains($0) }

  /// Steps that are met several times, and the occurrence at which the process is ended.
  private static let later: [(PassPoint, Int)] = [
    (.batch, 3), (.batchCommitted, 2), (.batchCommitted, 5), (.batch, 6),
  ]

  /// Kills a pass at a step, and requires that it got that far.
  private func kill(_ trial: PassTrial, at point: PassPoint, _ count: Int, _ words: String...) throws {
    let child = try Child([Child.program, "pass", trial.temporary.url.path, "\(point):\(count)"] + words)
    #expect(try child.wait() == .signal(SIGKILL), "\(point) was not met: \(child.text())")
  }

  // Promise P142.
  @Test func `a pass that is killed at any step and resumed leaves the same as an undisturbed one`()
    async throws
  {
    let first = try await PassTrial()
    let whole = try PassTrial(copying: first)
    #expect(try whole.finish().first == "done")
    let rows = try whole.rows()
    #expect(try whole.finish().first == "nothing")
    #expect(rows.count > 150)
    try whole.checkReading("")
    try whole.checkOrder("")
    var resumed = 0
    let points = Self.steps.filter { $0 != .round }.map { ($0, 1) } + Self.later
    for (index, (point, count)) in points.enumerated() {
      let trial = try PassTrial(copying: first)
      try kill(trial, at: point, count)
      // Sometimes a reader comes first, sometimes a writer.
      if index % 2 == 0 { #expect(try trial.problems() == [], "\(point) \(count)") }
      let end = try trial.finish()
      if let at = end.dropFirst(2).first, at != "0" { resumed += 1 }
      try trial.checkReading("\(point) \(count)")
      try trial.checkOrder("\(point) \(count)")
      #expect(try trial.rows() == rows, "\(point) \(count)")
    }
    #expect(resumed > 10)
  }

  @Test func `entries appended while the pass catches up are there after a kill`() async throws {
    let trial = try await PassTrial()
    try kill(trial, at: .round, 1, "append")
    let others: Set = ["noted the pass 9"]
    try trial.checkReading("", others: others)
    #expect(try trial.finish().first == "done")
    try trial.checkReading("", others: others)
    try trial.checkOrder("")
    #expect(try MealStore.read(trial.temporary.url).last?.event == "noted the pass 9")
  }

  @Test(arguments: [PassPoint.removing, .removed, .cleared])
  func `a pass that is killed while it clears up after another starts again`(point: PassPoint) async throws {
    let trial = try await PassTrial()
    try kill(trial, at: .batchCommitted, 2)
    try kill(trial, at: point, 1, "restart")
    try trial.checkReading("")
    // Until the first file is removed, the pass can still be resumed.
    let generation: UInt64 = point == .removing ? 2 : 3
    let end = try trial.finish()
    #expect(
      end.prefix(2) == ["done", "\(generation)"] && (end.dropFirst(2).first == "0") == (generation == 3))
    try trial.checkReading("")
    try trial.checkOrder("")
    #expect(try EventLog.inspect(trial.temporary.url).generation == generation)
  }

  @Test(arguments: ["named", "tables", "created"])
  func `a pass that was killed while it made its file can be thrown away`(point: String) async throws {
    let trial = try await PassTrial()
    let killed = try trial.pass("\(point):1")
    #expect(try killed.wait() == .signal(SIGKILL))
    #expect(try trial.finish("restart").prefix(3) == ["done", "3", "0"])
    try trial.checkReading(point)
    try trial.checkOrder(point)
  }

  // Promise P143.
  @Test(arguments: [1, 2])
  func `a pass that is killed at any step alongside a writer loses no answered call`(
    version: Int
  ) async throws {
    let first = try await PassTrial()
    var acknowledged = 0
    // A writer of the first version makes a difference only where generations change.
    let points =
      version == 2 ? Self.steps : [.batchCommitted, .verified, .lastRound, .live, .sealed, .current]
    for point in points {
      let trial = try PassTrial(copying: first)
      let writer = try trial.writer(1, version: version)
      #expect(writer.speaks())
      try kill(trial, at: point, 1, "append")
      let others: Set = ["noted the pass 9"]
      try trial.checkReading("\(point)", writers: [1], others: others)
      #expect(try trial.finish().first != nil)
      try trial.checkReading("\(point)", writers: [1], others: others)
      let end = try writer.kill()
      #expect(end == .signal(SIGKILL) || end == .exit(0) && version == 1, "\(point): \(writer.text())")
      // The killed writer's last call is repeated, or found whole.
      let again = try trial.writer(1, calls: 3)
      #expect(try again.wait() == .exit(0), "\(point): \(again.text())")
      try trial.checkReading("\(point)", writers: [1], others: others)
      try trial.checkOrder("\(point)")
      acknowledged += try Journal.lines(path: trial.journal(1)).filter { $0[0] == "done" }.count
    }
    #expect(acknowledged > points.count)
    print("passes killed beside a writer of version \(version): \(acknowledged) calls acknowledged")
  }
}
