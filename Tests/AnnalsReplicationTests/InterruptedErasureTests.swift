import Annals
import AnnalsLog
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnalsReplication

/// Erasures after whose commit a step fails: the machine completes them, and goes on.
@Suite struct InterruptedErasureTests {
  /// A rule whose rows cannot be folded again at first, as on a full disk.
  private final class FailingRule: AppendRule {
    private let state: Mutex<(left: Int, done: Int)>

    init(failures: Int) { state = Mutex((failures, 0)) }

    /// How often the rows were completed.
    var completions: Int { state.withLock { $0.done } }

    func begin(
      _ log: EventLog, isActivating: Bool, _ mayBegin: () throws(AnnalsError) -> Void
    ) throws(AnnalsError) {
      let isFailing = state.withLock { state in
        if state.left == 0 {
          state.done += 1
          return false
        }
        state.left -= 1
        return true
      }
      if isFailing { throw AnnalsError(.diskFull, "the disk is full, as far as the test is concerned") }
    }
  }

  /// A log with an erasure after two events, and another change after it.
  private static func filled(_ directory: TemporaryDirectory) async throws -> (log: MemoryLog, ids: [UUID]) {
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    let store = try await machine.open()
    try await store.append([.noted(.init(mark: 1)), .noted(.init(mark: 2))], to: "a")
    let changes = [
      LogChange(.erase([1]), author: "test", reason: "asked"),
      LogChange(.limit(.close("a")), author: "test", reason: "over"),
    ]
    var ids: [UUID] = []
    for change in changes {
      let commit = CommitID(id: UUID(), base: 1)
      log.store(try ClusterMessage(log: store.log.id, .change(change, commit)).encoded())
      ids.append(commit.id)
    }
    return (log, ids)
  }

  @Test(arguments: [false, true], [0, 1, 3])
  func `a machine that cannot complete an erasure tries again, and gives each verdict once`(
    isOurs: Bool, failures: Int
  ) async throws {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let (log, ids) = try await Self.filled(directory)
    let rule = FailingRule(failures: failures)
    let url = directory.url.appendingPathComponent("other.annals")
    let (events, claim, _) = try await Joining(log.connect(), [], known: [], ClusterOptions()).run(
      at: url, Machine.options())
    let applier = try Applier(events, claim, [rule], nil)
    var rest = log.messages[...]
    var verdicts: [UUID] = []
    var thrown = 0
    while !rest.isEmpty, thrown <= failures {
      do throws(AnnalsError) {
        let outcome = try applier.apply(rest) { _ in isOurs }
        verdicts += outcome.verdicts.map(\.id)
        rest = rest.dropFirst(outcome.count)
      } catch {
        #expect(error.code == .diskFull, "\(error)")
        thrown += 1
      }
    }
    #expect(thrown == failures)
    #expect(rule.completions == 1)
    #expect(verdicts.count == 3 && Set(verdicts).isSuperset(of: ids))
    #expect(applier.state.state.sequence == UInt64(log.messages.count))
    #expect(applier.state.position == 4)
    let lines = try events.lines()
    #expect(lines.count == 4)
    let findings = try EventLog.verify(url).findings
    #expect(findings.isEmpty)
  }

  @Test func `a machine that ended after the commit of an erasure completes it when it is opened`()
    async throws
  {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let (log, _) = try await Self.filled(directory)
    let url = directory.url.appendingPathComponent("other.annals")
    let (events, claim, _) = try await Joining(log.connect(), [], known: [], ClusterOptions()).run(
      at: url, Machine.options())
    for isLast in [false, true] {
      let rule = FailingRule(failures: isLast ? 0 : 1)
      let applier = try Applier(events, claim, [rule], nil)
      if !isLast {
        #expect(rule.completions == 0)
        _ = try applier.apply(log.messages.prefix(2)) { _ in false }
        #expect(throws: AnnalsError.self) { try applier.apply(log.messages[2...]) { _ in false } }
        // As a load keeps it that began before the erasure.
        let views = url.appendingPathComponent("views")
        try FileManager.default.createDirectory(at: views, withIntermediateDirectories: true)
        try Data("folded".utf8).write(to: views.appendingPathComponent("snapshots.mdb"))
      }
      #expect(applier.state.state.sequence == 3)
      #expect(rule.completions == (isLast ? 1 : 0))
    }
    let snapshots = url.appendingPathComponent("views/snapshots.mdb").path
    #expect(!FileManager.default.fileExists(atPath: snapshots))
    // Once it is complete and others follow, nothing is to be done.
    let rule = FailingRule(failures: 0)
    var applier = try Applier(events, claim, [rule], nil)
    _ = try applier.apply(log.messages[3...]) { _ in false }
    let later = FailingRule(failures: 0)
    applier = try Applier(events, claim, [later], nil)
    #expect(applier.state.position == 4 && later.completions == 0)
  }
}
