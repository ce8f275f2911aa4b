import FaultPrograms
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

/// A pass that moves entries to other streams, killed at each of its named steps.
@Suite(.serialized) struct StreamKillTests {
  /// The steps of a pass that is not restarted, and which time the process is ended there.
  private static let ends: [(PassPoint, Int)] =
    PassPoint.allCases.filter {
      ![.removing, .removed, .cleared, .round, .headsBatch, .headsCopied].contains($0)
    }.map { ($0, 1) } + [(.batch, 3), (.batchCommitted, 2), (.batchCommitted, 5), (.batch, 6)]

  @Test func `a pass that is killed at any step and resumed leaves the same as an undisturbed one`()
    async throws
  {
    let first = try await PassTrial()
    let whole = try PassTrial(copying: first)
    #expect(try whole.move().first == "done")
    let rows = try whole.rows()
    let moved = try whole.moved()
    #expect(try whole.move().first == "nothing")
    #expect(rows.count > 150 && moved.count > 5)
    try whole.checkOrder("")
    var resumed = 0
    for (point, count) in Self.ends {
      let trial = try PassTrial(copying: first)
      let child = try trial.begin("\(point):\(count)")
      #expect(try child.wait() == .signal(SIGKILL), "\(point) was not met: \(child.text())")
      let end = try trial.move()
      if let at = end.dropFirst(2).first, at != "0" { resumed += 1 }
      try trial.checkOrder("\(point) \(count)")
      #expect(try trial.rows() == rows, "\(point) \(count)")
      #expect(try trial.moved() == moved, "\(point) \(count)")
    }
    #expect(resumed > 8)
  }
}

extension PassTrial {
  /// Begins the pass that moves streams.
  fileprivate func begin(_ words: String...) throws -> Child {
    try Child([Child.program, "move", temporary.url.path] + words)
  }

  /// Runs the pass that moves streams until its end.
  fileprivate func move() throws -> [Substring] {
    let child = try begin()
    let end = try child.wait()
    let text = child.text()
    guard end == .exit(0) else {
      throw Failed(reason: "the pass ended with \(String(describing: end)): \(text)")
    }
    return text.drop { $0 == "!" }.split { $0.isWhitespace }
  }

  /// The destination of each stream.
  fileprivate func moved() throws -> [String] {
    let log = try EventLog(at: temporary.url, options: StoreOptions(access: .readOnly, creation: .never))
    return try log.core.generation.read { (reader) throws(AnnalsError) in
      var rows: [String] = []
      try reader.eachFact(MovedRow.prefix, after: nil) { (name, value) in
        rows.append("\(name) \(value)")
        return true
      }
      return rows
    }
  }
}
