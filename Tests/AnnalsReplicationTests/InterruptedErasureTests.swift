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

  @Test(arguments: [false, true], [0, 1, 3])
  func `a machine that cannot complete an erasure tries again, and gives each verdict once`(
    isOurs: Bool, failures: Int
  ) async throws {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    let store = try await machine.open()
    let id = store.log.id
    try await store.append([.noted(.init(mark: 1)), .noted(.init(mark: 2))], to: "a")
    machine.close()
    let commits = (0..<2).map { _ in CommitID(id: UUID(), base: 1) }
    let erasure = LogChange(.erase([1]), author: "test", reason: "asked")
    log.store(try ClusterMessage(log: id, .change(erasure, commits[0])).encoded())
    let closing = LogChange(.limit(.close("a")), author: "test", reason: "over")
    log.store(try ClusterMessage(log: id, .change(closing, commits[1])).encoded())

    let rule = FailingRule(failures: failures)
    let url = directory.url.appendingPathComponent("other.annals")
    let (events, claim, _) = try await Joining(log.connect(), [], ClusterOptions()).run(
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
    #expect(verdicts.count == 3 && Set(verdicts).isSuperset(of: commits.map(\.id)))
    #expect(applier.state.state.sequence == UInt64(log.messages.count))
    #expect(applier.state.position == 4)
    let lines = try events.lines()
    #expect(lines.count == 4)
    let findings = try EventLog.verify(url).findings
    #expect(findings.isEmpty)
  }
}
