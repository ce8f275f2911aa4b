internal import AnnalsCoding
internal import AnnalsReplication
internal import LMDB
internal import Synchronization

/// The thread that takes messages from the broker and hands them over in batches.
///
/// A message counts once most of the servers that keep the log have it. What one server has may be lost: some
/// versions deliver messages, and even acknowledge them, that the others replace after a crash.
final class MessageThread: Sendable {
  /// Whether the thread is at work, and who waits for its end.
  private enum Work {
    case going
    case awaited(CheckedContinuation<Void, Never>)
    case ended
  }

  /// The most messages and bytes of a batch. A batch ends earlier if no message waits.
  private static let most = (messages: 4_000, bytes: 4 << 20)

  /// The nanoseconds for which the servers say that there is no log before the link looks again.
  private static let absence = 5_000_000_000

  private let link: BrokerLink
  private let settling: Int
  private let last: LastMark
  private let pace: FollowPace
  private let receive: @Sendable ([ReplicatedMessage]) throws -> Void
  private let work = Mutex(Work.going)
  private let failure: Mutex<(any Error)?> = Mutex(nil)
  private let isStopped = Atomic(false)
  private let differences = Atomic(0)

  /// Prepares to follow a log.
  ///
  /// - Parameters:
  ///   - settling: The nanoseconds for which servers must differ before that is reported.
  ///   - last: The last message of the log, also of earlier threads.
  ///   - pace: When to rest between two batches.
  ///   - receive: Takes a batch, on the thread. After an error it gets no more.
  init(
    _ link: BrokerLink, settling: Int = FollowMachine.staleness, last: LastMark, pace: FollowPace,
    _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
  ) {
    self.link = link
    self.settling = settling
    self.last = last
    self.pace = pace
    self.receive = receive
  }

  /// The number of times that two servers had different messages at one sequence.
  var differed: Int { differences.load(ordering: .relaxed) }

  /// Starts to take messages after `sequence`.
  func start(after sequence: UInt64) throws(AnnalsError) {
    do throws(StoreFileError) {
      try WriterThread(name: "annals-follow") {
        self.run(after: sequence)
        self.noteEnd()
      }.letGo()
    } catch {
      throw AnnalsError(.inputOutput, "the system has no thread to follow the shared log with: \(error)")
    }
  }

  /// Lets the thread end.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Waits until the thread has ended, which a cancelled task lets it do. There is one caller.
  ///
  /// - Throws: The reason for which it ended by itself.
  func end() async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = work.withLock { work in
          if case .ended = work { return true }
          work = .awaited(continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      stop()
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private func noteEnd() {
    let before = work.withLock { work in
      defer { work = .ended }
      return work
    }
    if case .awaited(let continuation) = before { continuation.resume() }
  }

  private var isOver: Bool { isStopped.load(ordering: .relaxed) }

  private func run(after sequence: UInt64) {
    var machine = FollowMachine(after: sequence, now: Clock.now, settling: settling)
    let feeds = LogFeeds(link.address.name)
    var missing: Int?
    while !isOver {
      do throws(NATSFailure) {
        let connection = try link.connection(until: Clock.now + 1_000_000_000)
        // With those that bring the messages, these are most of the servers that keep the log.
        guard let facts = link.facts else { throw NATSFailure(.passing, "the log is not known yet") }
        let others = facts.replicas / 2
        // The last message comes again, to show that the log is still the one that was followed.
        let isKnown = last.value(at: machine.applied) != nil
        try feeds.complete(connection, from: machine.applied + (isKnown ? 0 : 1), others: others)
        if feeds.isNew {
          machine.subscribed(now: Clock.now)
          feeds.isNew = false
        }
        do throws(NATSFailure) { try follow(feeds, connection, &machine) } catch {
          feeds.drop()
          throw error
        }
      } catch {
        // Most failures pass. What does not is refused by the link, once it looks again. Servers that elect a
        // leader may not know a stream for a moment.
        missing = error.kind == .noStream ? missing ?? Clock.now : nil
        if let missing, Clock.now - missing >= Self.absence { link.forgetStream() }
      }
      if let (sequence, servers) = machine.unsettled(now: Clock.now) {
        fail(unsettled(sequence, servers))
      } else if let sequence = machine.undelivered {
        fail(
          AnnalsError(
            .damaged,
            "the servers have message \(sequence) of the shared log '\(link.address.name.text)' and do not "
              + "deliver it; restore the log at the servers"))
      } else if machine.isOtherLog(now: Clock.now) {
        fail(
          AnnalsError(
            .damaged,
            "message \(machine.applied) of the shared log '\(link.address.name.text)' is another one than this "
              + "machine has applied: the servers have lost acknowledged messages, or the log was begun again. "
              + "Restore the log at the servers, or begin a new cluster from a backup of this store",
            underlying: OtherLog()))
      } else if let refusal = link.lastingRefusal {
        fail(refusal)
      }
      if !isOver { WriterThread.pause(milliseconds: 50) }
    }
  }

  /// Takes messages until a subscription is of no more use.
  private func follow(
    _ feeds: LogFeeds, _ connection: NATSConnection, _ machine: inout FollowMachine
  ) throws(NATSFailure) {
    while !isOver {
      var batch: [ReplicatedMessage] = []
      var bytes = 0
      var isUseful = true
      var milliseconds: Int64 = 100
      while isUseful, batch.count < Self.most.messages, bytes < Self.most.bytes {
        let before = machine
        switch feeds.next(upTo: milliseconds) {
        case .nothing: break
        case .broken: isUseful = false
        case .delivery(let delivery):
          var step = machine.received(
            sequence: delivery.message.sequence, count: delivery.count, now: Clock.now)
          if step == .confirm {
            // The question may fail, and what was taken before it must not be lost with it.
            hand(batch)
            (batch, bytes) = ([], 0)
            let gap = try connection.removed(from: link.address.name, upTo: 2_000)
            step = machine.confirmed(first: gap.first, removed: gap.sequences)
          }
          switch step {
          case .take:
            // What counts already does not wait for what may not.
            if !batch.isEmpty, !feeds.isKnown(after: before.applied) {
              hand(batch)
              (batch, bytes) = ([], 0)
            }
            switch feeds.verdict(on: delivery, after: before.applied, unless: { isOver }) {
            case .counts:
              last.raise(delivery.mark)
              Self.add(before.applied + 1..<delivery.message.sequence, to: &batch)
              batch.append(delivery.message)
              bytes += delivery.message.bytes.count
            case .differs(let servers):
              differences.add(1, ordering: .relaxed)
              machine = before
              machine.differed(at: before.applied + 1, between: servers, now: Clock.now)
              feeds.drop()
              isUseful = false
            case .silent:
              machine = before
              isUseful = false
            }
          case .skip:
            guard delivery.message.sequence == machine.applied, let known = last.value(at: machine.applied)
            else { break }
            machine.compared(isOther: known != delivery.mark, now: Clock.now)
            guard known != delivery.mark else { break }
            feeds.drop()
            isUseful = false
          case .confirm, .subscribe:
            feeds.drop()
            isUseful = false
          }
        }
        guard feeds.hasMore else { break }
        milliseconds = 1
      }
      if batch.isEmpty, isUseful, machine.isSilent(now: Clock.now) {
        isUseful = try listen(connection, &machine, &batch)
        if !isUseful { feeds.drop() }
      }
      hand(batch)
      guard isUseful else { return }
      pace.rest(after: batch.count, bytes: bytes)
    }
  }

  /// Asks where the log ends.
  ///
  /// - Returns: Whether the subscription is still of use.
  private func listen(
    _ connection: NATSConnection, _ machine: inout FollowMachine, _ batch: inout [ReplicatedMessage]
  ) throws(NATSFailure) -> Bool {
    let name = link.address.name
    let last = try connection.stream(name, upTo: 2_000).last
    switch machine.asked(last: last, now: Clock.now) {
    case .level: return true
    case .confirm:
      let before = machine.applied
      let gap = try connection.removed(from: name, upTo: 2_000)
      if machine.ended(first: gap.first, last: gap.last, removed: gap.sequences) { return false }
      if machine.applied > before { Self.add(before + 1..<machine.applied + 1, to: &batch) }
      return true
    case .shorter:
      fail(
        AnnalsError(
          .damaged,
          "the shared log '\(name.text)' ends at message \(last), and this machine has applied "
            + "\(machine.applied): the servers have lost acknowledged messages. Restore the log at the "
            + "servers, or begin a new cluster from a backup of this store"))
      return false
    }
  }

  private static func add(_ removed: Range<UInt64>, to batch: inout [ReplicatedMessage]) {
    for sequence in removed { batch.append(ReplicatedMessage(sequence: sequence, time: 0, bytes: [])) }
  }

  private func hand(_ batch: [ReplicatedMessage]) {
    guard !batch.isEmpty, !isOver else { return }
    do { try receive(batch) } catch { fail(error) }
  }

  /// The error for a sequence of which most servers are not known to have the same message.
  ///
  /// As long as a server was not compared, it may have the message of another one: its return decides.
  private func unsettled(_ sequence: UInt64, _ servers: Set<String>) -> AnnalsError {
    let known = "message \(sequence) of the shared log '\(link.address.name.text)'"
    let names = servers.sorted().map { "'\($0)'" }.joined(separator: ", ")
    guard servers.count >= link.facts?.replicas ?? .max else {
      return AnnalsError(
        .unavailable,
        "the servers \(names) have different copies of \(known), and the others do not say which counts: "
          + "start them. Reads go on, and this machine continues by itself")
    }
    return AnnalsError(
      .damaged,
      "no \(known) is the same on most of its servers: they have lost or changed acknowledged messages. "
        + "Start all of them, and see \"Servers differ\" in docs/cluster-servers.md")
  }

  private func fail(_ error: any Error) {
    isStopped.store(true, ordering: .relaxed)
    failure.withLock { $0 = error }
  }
}
