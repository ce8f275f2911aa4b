import Foundation
import Testing

@testable import Annals
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import FaultPrograms

/// A pass with an archive that is killed at each of its named steps.
@Suite(.serialized) struct ArchiveKillTests {
  private static let steps = PassPoint.allCases.filter {
    ![.removing, .removed, .cleared, .round].contains($0)
  }

  private static let later: [(PassPoint, Int)] = [
    (.batch, 2), (.batch, 3), (.batchCommitted, 2), (.batchCommitted, 5), (.batch, 6),
  ]

  /// Kills a pass at a step, and requires that it got that far.
  private func kill(_ trial: PassTrial, at point: PassPoint, _ count: Int, _ words: String...) throws {
    let child = try Child(
      [Child.program, "pass", trial.temporary.url.path, "\(point):\(count)", "archive"] + words)
    #expect(try child.wait() == .signal(SIGKILL), "\(point) was not met: \(child.text())")
  }

  private func archive(_ trial: PassTrial) throws -> String {
    try String(contentsOfFile: trial.temporary.path("archive"), encoding: .utf8)
  }

  /// The names of files next to the store.
  private func names(_ trial: PassTrial) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: trial.temporary.directory.path).filter {
      $0.contains("archive")
    }
  }

  @Test func `an archive has each line once, wherever the pass was killed`() async throws {
    let first = try await PassTrial()
    let whole = try PassTrial(copying: first)
    #expect(try whole.finish("archive").first == "done")
    let expected = try archive(whole)
    let positions = expected.split(separator: "\n").compactMap { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["position"] as? Int
    }
    // Each of the fifty calls has a ping, and every fourth an order without dishes.
    #expect(positions.count == 50 + 13 && positions == Array(Set(positions)).sorted())
    var resumed = 0
    for (point, count) in Self.steps.map({ ($0, 1) }) + Self.later {
      let trial = try PassTrial(copying: first)
      try kill(trial, at: point, count)
      // A file with the final name is whole.
      if try names(trial).contains("archive") {
        #expect(try archive(trial) == expected, "\(point) \(count)")
      }
      if [PassPoint.sealed, .unlocked, .current, .done].contains(point) {
        // The switch has happened, and nothing is left to do.
        #expect(try trial.finish().first == "nothing", "\(point)")
      } else {
        let end = try trial.finish("archive")
        #expect(end.first == "done", "\(point) \(count)")
        if let at = end.dropFirst(2).first, at != "0" { resumed += 1 }
      }
      #expect(try archive(trial) == expected, "\(point) \(count)")
      #expect(try names(trial) == ["archive"], "\(point) \(count)")
      try trial.checkReading("\(point) \(count)")
      try trial.checkOrder("\(point) \(count)")
    }
    #expect(resumed > 10)
  }

  @Test func `entries appended before a pass was killed in its last steps are in the archive too`()
    async throws
  {
    let first = try await PassTrial()
    for point in [PassPoint.verified, .lastRound, .live] {
      let trial = try PassTrial(copying: first)
      try kill(trial, at: point, 1)
      // A program of the first version appends pings while no pass runs.
      let store = try EventStore(at: trial.temporary.url, plan: FirstMeals.self)
      try await store.append([.pinged(.init(number: 99)), .pinged(.init(number: 98))], to: "late")
      #expect(try trial.finish("archive").first == "done", "\(point)")
      let lines = try archive(trial).split(separator: "\n")
      #expect(lines.count == 50 + 13 + 2, "\(point)")
      for line in lines.suffix(2) { #expect(line.contains("\"late\""), "\(point)") }
    }
  }

  @Test func `a pass that is killed and begun again leaves no other archive`() async throws {
    let first = try await PassTrial()
    for (point, count) in [(PassPoint.created, 1), (.batchCommitted, 2), (.verified, 1), (.live, 1)] {
      let trial = try PassTrial(copying: first)
      try kill(trial, at: point, count)
      #expect(try trial.finish("archive", "restart").first == "done", "\(point)")
      #expect(try names(trial) == ["archive"], "\(point)")
      #expect(try archive(trial).split(separator: "\n").count == 50 + 13, "\(point)")
      try trial.checkOrder("\(point)")
    }
  }
}
