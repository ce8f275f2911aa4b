import Annals
import Foundation

/// Appends commits that the store does not have yet as events of version 1, in batches.
struct HistoryImport {
  /// The stream of commits.
  static let commits: StreamName = "commits"
  /// The stream that records when a history was read.
  static let readings: StreamName = "readings"

  /// The number of commits appended.
  private(set) var appended = 0
  private let store: EventStore<FirstHistoryPlan>
  private let known: Set<UUID>
  private var revision: Revision?
  private var batch: [NewEvent<HistoryV1.Event>] = []
  private var batchBytes = 0
  private var batchCommits = 0

  /// A rule may make at most 10,000 events of one, so a commit's files are stored in smaller pieces.
  private static let filesPerEvent = 5_000
  private static let batchLimit = (events: 2_000, bytes: 4 << 20)

  /// Reads the commits that `store` already has.
  ///
  /// - Complexity: O(events in the store), 16 bytes of memory for each commit.
  init(_ store: EventStore<FirstHistoryPlan>) throws(AnnalsError) {
    self.store = store
    (known, revision) = try store.log.read { (log) throws(AnnalsError) in
      var ids: Set<UUID> = []
      var entries = try log.entries(in: Self.commits)
      while let entry = try entries.next() {
        if let id = entry.id { ids.insert(id) }
      }
      return (ids, try log.revision(of: Self.commits))
    }
  }

  /// Whether the store has commits.
  var isContinued: Bool { revision != nil }

  /// Whether the store had the commit called `sha` from the start.
  func holds(_ sha: String) -> Bool {
    known.contains(UUID(commit: sha))
  }

  /// Adds a commit; it is on disk after the next ``finish()``, or earlier.
  mutating func add(_ commit: Commit) async throws(AnnalsError) {
    if holds(commit.sha) { return }
    let files = commit.changes.map(\.line)
    let first = HistoryV1.CommitMade(
      sha: commit.sha, author: "\(commit.name) <\(commit.email)>", date: commit.date,
      message: commit.message, files: Array(files.prefix(Self.filesPerEvent)))
    batch.append(NewEvent(.commitMade(first), id: UUID(commit: commit.sha)))
    var piece: UInt32 = 0
    for start in stride(from: Self.filesPerEvent, to: files.count, by: Self.filesPerEvent) {
      piece += 1
      let more = HistoryV1.FilesContinued(
        sha: commit.sha, files: Array(files[start...].prefix(Self.filesPerEvent)))
      batch.append(NewEvent(.filesContinued(more), id: UUID(commit: commit.sha, piece: piece)))
    }
    batchBytes += commit.message.utf8.count + files.reduce(0) { $0 + $1.utf8.count }
    batchCommits += 1
    if batch.count >= Self.batchLimit.events || batchBytes >= Self.batchLimit.bytes { try await flush() }
  }

  /// Appends the rest, and an event that the history was read up to the commit called `head`.
  mutating func finish(head: String) async throws(AnnalsError) {
    try await flush()
    try await store.append(
      [.historyRead(HistoryV1.HistoryRead(head: head, commits: appended))], to: Self.readings)
  }

  private mutating func flush() async throws(AnnalsError) {
    if batch.isEmpty { return }
    // Two programs at once would store the same commits twice, so the second one to write is refused.
    let done = try await store.append(
      batch, to: Self.commits, expecting: revision.map { .revision($0) } ?? .noStream)
    revision = done.revision
    appended += batchCommits
    batch.removeAll(keepingCapacity: true)
    batchBytes = 0
    batchCommits = 0
  }
}

extension Commit.Change {
  /// The line of version 1 for this change. A path contains no tab, because it is escaped.
  fileprivate var line: String {
    ([status] + (formerPath.map { [$0] } ?? []) + [path]).joined(separator: "\t")
  }
}

extension UUID {
  /// Creates the id of the event numbered `piece` of the commit called `sha`. It is a version 8 UUID (RFC
  /// 9562) of the first 12 bytes of the commit's id and the number.
  init(commit sha: String, piece: UInt32 = 0) {
    var bytes: [UInt8] = []
    var digits = sha.utf8.prefix(24)[...]
    while let high = digits.popFirst(), let low = digits.popFirst() {
      bytes.append(Self.digit(high) << 4 | Self.digit(low))
    }
    bytes += Array(repeating: 0, count: 12 - bytes.count)
    let piece = (0..<4).map { UInt8(truncatingIfNeeded: piece >> (24 - 8 * $0)) }
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6] & 0x0f | 0x80, bytes[7],
        bytes[8] & 0x3f | 0x80, bytes[9], bytes[10], bytes[11], piece[0], piece[1], piece[2], piece[3]
      ))
  }

  /// Returns the value of a hexadecimal digit.
  private static func digit(_ byte: UInt8) -> UInt8 {
    UInt8(Character(Unicode.Scalar(byte)).hexDigitValue ?? 0)
  }
}
