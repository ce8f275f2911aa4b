import Annals
import Dispatch
import Foundation
import Synchronization

/// Works with a store whose commit fails while LMDB's meta page is written and a snapshot is open. It
/// continues after each error that allows it.
package enum Settling {
  /// The calls, which follow those of an ``Attempt``.
  package static let calls = Attempt.calls..<Attempt.calls + 6
  /// The call during which a snapshot lives: the first, whose commit flushes twice.
  package static let watched = calls.lowerBound

  /// The number of milliseconds from which no process waits for a snapshot to end.
  private static let endless = 10_000 as UInt32

  /// Works with the store that an ``Attempt`` has left.
  ///
  /// - Parameters:
  ///   - milliseconds: How long the snapshot lives. If no process waits that long, it lives until the call is
  ///     answered.
  ///   - isCrowded: Whether other snapshots take all remaining reader slots.
  static func run(
    at url: URL, reading milliseconds: UInt32, isCrowded: Bool, noting journal: CallJournal
  ) async throws {
    var options = Workload.options(.full)
    options.creation = .never
    let log = try EventLog(at: url, options: options)
    for number in calls {
      let read = number == watched ? LongRead(of: log, milliseconds: milliseconds, isCrowded: isCrowded) : nil
      let call = try Call(number, seed: Attempt.seed)
      try journal.note(.begin(number))
      var failure: AnnalsError?
      do throws(AnnalsError) { try await call.append(to: log) } catch {
        try journal.note(.failed(number, code: "\(error.code)"))
        failure = error
      }
      if failure == nil { try journal.note(.done(number)) }
      if milliseconds > Self.endless { read?.release() }
      if let read { try journal.note(.read(read.count())) }
      if failure?.recovery == [.reopen] { return }
    }
    let count = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count }
    try journal.note(.read(count))
  }

  /// Makes the same calls with tags, and continues after each error. Before the first one the library creates
  /// the table of tags, in a commit without an entry.
  static func tag(at url: URL, noting journal: CallJournal) async throws {
    let log = try EventLog(at: url, options: Workload.options(.full))
    for number in calls {
      let call = try Call(number, seed: Attempt.seed, isTagged: true)
      try journal.note(.begin(number))
      do throws(AnnalsError) { try await call.append(to: log) } catch {
        try journal.note(.failed(number, code: "\(error.code)"))
        continue
      }
      try journal.note(.done(number))
    }
  }
}

/// A snapshot that lives for a while on a thread of its own.
private final class LongRead: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<Int, AnnalsError>?>(nil)

  /// The bytes of the thread's stack: each of the snapshots takes a few of its frames.
  private static let stack = 256 << 20

  /// Begins to read; the snapshot is open when this returns.
  ///
  /// - Parameter isCrowded: Whether further snapshots take all other reader slots.
  init(of log: EventLog, milliseconds: UInt32, isCrowded: Bool) {
    let begun = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      let found: Result<Int, AnnalsError>
      do throws(AnnalsError) {
        found = .success(
          try read(log, isCrowded: isCrowded) {
            begun.signal()
            _ = mayEnd.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
          })
      } catch {
        found = .failure(error)
        begun.signal()
      }
      result.withLock { $0 = found }
      ended.signal()
    }
    thread.stackSize = Self.stack
    thread.start()
    begun.wait()
  }

  /// Waits in a snapshot, or in the last of enough snapshots to fill all slots, and counts the entries.
  private func read(
    _ log: EventLog, isCrowded: Bool, _ wait: () -> Void
  ) throws(AnnalsError) -> Int {
    try log.read { (snapshot) throws(AnnalsError) in
      if isCrowded {
        do throws(AnnalsError) { return try read(log, isCrowded: true, wait) } catch {
          guard error.code == .tooManyReaders else { throw error }
        }
      }
      wait()
      return try snapshot.all().count
    }
  }

  /// Lets the snapshot end before its time.
  func release() { mayEnd.signal() }

  /// The number of entries in the snapshot, read at the end of its life.
  func count() throws -> Int {
    ended.wait()
    return try result.withLock { try $0?.get() ?? 0 }
  }
}
