internal import AnnalsCoding
internal import LMDB
internal import Synchronization

/// The thread that answers the question how this machine is, and takes what other machines announce.
///
/// Questions, answers and announcements go through the servers and are not stored.
final class MachineAnswers: Sendable {
  private let link: BrokerLink
  private let report: @Sendable () -> MachineReport?
  private let heard: @Sendable ([UInt8]) -> Void
  private let isStopped = Atomic(false)

  /// Prepares the thread.
  ///
  /// - Parameters:
  ///   - report: Returns the answer; `nil` once there is none.
  ///   - heard: Takes the bytes of an announcement.
  init(
    _ link: BrokerLink, _ report: @escaping @Sendable () -> MachineReport?,
    heard: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.link = link
    self.report = report
    self.heard = heard
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
          guard let message = questions.take(upTo: 200) else { continue }
          guard let reply = message.reply else {
            heard(message.bytes)
            continue
          }
          guard let report = report() else { continue }
          try questions.answer(report.bytes, to: reply)
        }
      } catch {
        // Without a connection nobody asks.
        WriterThread.pause(milliseconds: 100)
      }
    }
  }
}
