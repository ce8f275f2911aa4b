internal import AnnalsCoding
internal import LMDB
internal import Synchronization

/// The thread that answers the question how this machine is.
///
/// Question and answer go through the servers and are not stored.
final class MachineAnswers: Sendable {
  private let link: BrokerLink
  private let report: @Sendable () -> MachineReport?
  private let isStopped = Atomic(false)

  init(_ link: BrokerLink, _ report: @escaping @Sendable () -> MachineReport?) {
    self.link = link
    self.report = report
  }

  func start() throws(AnnalsError) {
    do throws(StoreFileError) {
      try WriterThread(name: "annals-status") { self.run() }.letGo()
    } catch {
      throw AnnalsError(.inputOutput, "the system has no thread to answer questions with: \(error)")
    }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private var isOver: Bool { isStopped.load(ordering: .relaxed) }

  private func run() {
    while !isOver {
      do throws(NATSFailure) {
        let connection = try link.connection(until: Clock.now + 1_000_000_000)
        let questions = try NATSQuestions(connection, at: link.address.name.questions)
        while !isOver, !connection.isClosed {
          guard let reply = questions.take(upTo: 200)?.reply else { continue }
          guard let report = report() else { return }
          try questions.answer(report.bytes, to: reply)
        }
      } catch {
        // Without a connection nobody asks.
        WriterThread.pause(milliseconds: 100)
      }
    }
  }
}
