import Annals
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cancelling of appends that wait in the queue while another writer has the store's lock.
struct Cancel: Scenario {
  /// The moment at which the measurement ends.
  enum End: String {
    /// Every call has left the queue and is answered.
    case answered = "cancel"
    /// Every task has run to its end with the error, which is the runtime's work.
    case thrown = "cancel-ends"
  }

  let end: End
  var name: String { end.rawValue }
  let unit = Unit.seconds
  /// How many appends wait.
  let appends: Int

  var parameters: [String: Int] { ["appends": appends, "payload": SampleEvent.payloadBytes] }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    return { [self] _ in
      try await Workplace.lend(inside: site.directory) { directory in
        let time = try await time(in: directory)
        return Measurement(rate: time / .seconds(1))
      }
    }
  }

  /// How long it takes from the first cancellation to the end.
  private func time(in directory: URL) async throws -> Duration {
    var options = StoreOptions()
    // No call may fail because it has waited too long, or wait outside of the queue.
    options.lockTimeout = .seconds(3_600)
    options.queueMemory = 1 << 30
    let place = directory.appendingPathComponent("cancel.annals")
    let log = try EventLog(at: place, options: options)
    var events = RoundRobin(streams: 1)
    let items = try AnnalsSubject.prepare(events.batch(of: 1))
    let (stream, entries) = (items[0].stream, items[0].events)
    try await log.append(entries, to: stream)
    let lock = try HeldLock(place.appendingPathComponent("write.lock").path)
    // The writer's thread takes the first call out of the queue, and waits for the lock with it.
    let first = Task { try await log.append(entries, to: stream) }
    let started = Counter()
    let calls = (0..<appends).map { _ in
      Task {
        started.add()
        _ = try await log.append(entries, to: stream)
      }
    }
    while started.count < appends { try await Task.sleep(for: .milliseconds(10)) }
    // What a call does between its start and the queue takes microseconds.
    try await Task.sleep(for: .seconds(1))
    let start = ContinuousClock.now
    for call in calls { call.cancel() }
    let answered = start.duration(to: .now)
    var cancelled = 0
    for call in calls {
      do { try await call.value } catch let error as AnnalsError where error.code == .cancelled {
        cancelled += 1
      }
    }
    let thrown = start.duration(to: .now)
    guard cancelled == appends else {
      throw WrongWork(description: "\(appends - cancelled) of \(appends) cancelled appends were stored")
    }
    _ = consume lock
    _ = try await first.value
    return end == .answered ? answered : thrown
  }

  /// How many tasks have started.
  private final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .acquiring) }

    func add() { number.add(1, ordering: .acquiringAndReleasing) }
  }
}
