import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads one snapshot after another until it is killed. Notes the end of each one and its errors.
struct Watcher {
  private let journal: Journal
  private let log: EventLog
  private var seen: UInt64 = 0
  private var revisions: [String: UInt64] = [:]

  /// A watcher of the store at `path`.
  init(store path: String, journal: String) throws {
    self.journal = try Journal(path: journal)
    log = try EventLog(
      at: URL(fileURLWithPath: path), options: StoreOptions(access: .readOnly, creation: .never))
  }

  /// Reads new entries until the parent process has ended.
  mutating func run() throws {
    while FaultProgram.hasParent {
      let begun = Journal.now
      let (head, problem) = try look()
      try journal.note("saw", "\(begun)", "\(Journal.now)", "\(head)")
      if let problem { try journal.note("wrong", problem) }
      // Leaves the processor to the writers.
      usleep(300)
    }
  }

  /// Reads the entries after those already seen, with the revisions that continue their streams.
  private mutating func look() throws -> (UInt64, String?) {
    var (seen, revisions) = (seen, revisions)
    var problem: String?
    try log.read { (snapshot) throws(AnnalsError) in
      let head = try snapshot.head()?.rawValue ?? 0
      if head < seen { problem = "the log ends at \(head), and \(seen) was there before" }
      var entries = try snapshot.entries(from: Position(seen + 1))
      var touched: Set<String> = []
      while let entry = try entries.next() {
        let stream = entry.stream.text
        let expected = revisions[stream].map { $0 + 1 } ?? 0
        if entry.position.rawValue != seen + 1 || entry.revision.rawValue != expected {
          problem =
            "position \(entry.position) behind \(seen), revision \(entry.revision) in place of \(expected)"
        }
        seen += 1
        revisions[stream] = expected
        touched.insert(stream)
      }
      if seen != head { problem = "the entries end at \(seen), the log at \(head)" }
      for stream in touched where try snapshot.revision(of: StreamName(stream))?.rawValue != revisions[stream]
      {
        problem = "the head of \(stream) is not its last entry"
      }
    }
    (self.seen, self.revisions) = (seen, revisions)
    return (seen, problem)
  }
}
