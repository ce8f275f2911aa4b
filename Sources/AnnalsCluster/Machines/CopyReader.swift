package import AnnalsCoding
internal import AnnalsReplication
internal import LMDB

/// One server's copy of a log, from the first message on.
private struct CopyReader {
  /// The nanoseconds without a message after which a server counts as one that has no more.
  private static let patience = 3_000_000_000

  let subscription: NATSSubscription
  private var next: CopyMark?
  private var count: UInt64 = 0
  private var isOver = false

  init(_ subscription: NATSSubscription) {
    self.subscription = subscription
  }

  /// Returns what identifies the message at a sequence, which is larger than the one before; `nil` for none.
  mutating func mark(at sequence: UInt64) throws(NATSFailure) -> CopyMark? {
    let end = Clock.now + Self.patience
    while true {
      if let next, next.sequence >= sequence { return next.sequence == sequence ? next : nil }
      if isOver { return nil }
      switch subscription.next(upTo: 100) {
      case .nothing: isOver = Clock.now >= end
      case .broken(let failure): throw failure
      case .delivery(let delivery):
        count += 1
        guard delivery.count == count else { throw NATSFailure(.passing, "a message was lost on the way") }
        next = delivery.mark
      }
    }
  }
}

extension JetStreamLog {
  /// Compares what the servers have of the log, up to the message that is the last one now.
  ///
  /// - Parameter limit: The longest time to wait for servers. Servers that do not answer are left out.
  /// - Complexity: O(messages), and constant memory.
  package func compareCopies(within limit: Duration) async throws(AnnalsError) -> CopyComparison {
    try await asking(within: limit, "show its copies") { [name] connection, rest throws(NATSFailure) in
      let facts = try connection.stream(name, upTo: rest)
      var readers = try Self.readers(connection, name, facts.replicas)
      var comparison = CopyComparison(readers.map(\.subscription.server), replicas: facts.replicas)
      while comparison.compared < facts.last {
        var marks: [CopyMark?] = []
        for index in readers.indices { marks.append(try readers[index].mark(at: comparison.compared + 1)) }
        comparison.add(marks)
      }
      return comparison
    }
  }

  /// Subscribes at every server that answers. The broker chooses the server, so it takes several attempts.
  private static func readers(
    _ connection: NATSConnection, _ name: LogName, _ replicas: Int
  ) throws(NATSFailure) -> [CopyReader] {
    let end = Clock.now + 10_000_000_000
    var readers: [CopyReader] = []
    var last = NATSFailure(.passing, "no server answers")
    while readers.count < replicas, Clock.now < end {
      do throws(NATSFailure) {
        let made = try NATSSubscription(connection, to: name, from: 1, withContents: false)
        if !readers.contains(where: { $0.subscription.server == made.server }) {
          readers.append(CopyReader(made))
          continue
        }
      } catch {
        last = error
      }
      // Each attempt leaves the broker a subscription, which it forgets some seconds later.
      WriterThread.pause(milliseconds: 50)
    }
    guard !readers.isEmpty else { throw last }
    return readers
  }
}
