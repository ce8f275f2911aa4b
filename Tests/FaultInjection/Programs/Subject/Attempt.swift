import Annals
import Foundation

/// Works with a store while its system calls fail. It opens, appends and reads, continues after each error,
/// and notes the results.
package enum Attempt {
  /// The seed of the calls.
  package static let seed: UInt64 = 7
  private static let sessions = 3
  private static let callsPerSession = 4
  /// The number of calls if no open fails.
  package static let calls = sessions * callsPerSession

  static func run(at url: URL, noting journal: CallJournal) async throws {
    for session in 0..<sessions {
      let first = session * callsPerSession
      try await append(first..<first + callsPerSession, at: url, noting: journal)
    }
  }

  /// One session; the store is closed when this returns.
  private static func append(_ numbers: Range<Int>, at url: URL, noting journal: CallJournal) async throws {
    let log: EventLog
    do throws(AnnalsError) { log = try EventLog(at: url, options: Workload.options(.full)) } catch {
      return try journal.note(.refused(code: "\(error.code)"))
    }
    for number in numbers {
      let call = try Call(number, seed: seed)
      try journal.note(.begin(number))
      do throws(AnnalsError) { try await call.append(to: log) } catch {
        try journal.note(.failed(number, code: "\(error.code)"))
        if error.recovery == [.reopen] { return }
        try verify(url, noting: journal)
        continue
      }
      try journal.note(.done(number))
    }
    let count: Int
    do throws(AnnalsError) {
      count = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count }
    } catch {
      return try journal.note(.unread(code: "\(error.code)"))
    }
    try journal.note(.read(count))
  }
}

extension Attempt {
  /// Checks the store as another program would: it waits for every lock that an error has left.
  private static func verify(_ url: URL, noting journal: CallJournal) throws {
    do throws(AnnalsError) {
      if try EventLog.verify(url).isClean { return }
    } catch {
      return try journal.note(.unread(code: "\(error.code)"))
    }
    try journal.note(.unread(code: "unclean"))
  }
}

extension LogSnapshot {
  /// All entries as an array.
  func all() throws(AnnalsError) -> [LogEntry] {
    var entries = try entries()
    var all: [LogEntry] = []
    while let entry = try entries.next() { all.append(entry) }
    return all
  }
}
