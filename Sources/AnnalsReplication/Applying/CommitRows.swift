internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The decided commits of 64 sequences: a row of `meta`, whose name has the first of them.
///
/// By the rows a copy of a commit is recognised after a restart, and they lead from an entry to its message.
struct CommitRows: Equatable, Sendable {
  /// The kind in the rows' names.
  static let kind = "commits"
  /// The number of sequences of a row.
  static let span: UInt64 = 64

  /// A decided commit.
  struct Commit: Equatable, Sendable {
    var sequence: UInt64
    var id: UUID
    /// The position of its first entry; 0 if it stored none.
    var first: UInt64
    /// The number of its entries.
    var count: UInt64
  }

  var commits: [Commit] = []

  /// The first sequence of the row with the commit at `sequence`.
  static func start(of sequence: UInt64) -> UInt64 { sequence / span * span }

  /// The name of the row that begins at a sequence.
  static func name(_ start: UInt64) -> String { ClusterRow.name(kind, start) }

  /// For each commit its sequence less the row's first one (one byte), id, first position and count
  /// (varints).
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    for commit in commits {
      bytes.append(UInt8(truncatingIfNeeded: commit.sequence % Self.span))
      bytes += commit.id.bytes
      bytes.append(varint: commit.first)
      bytes.append(varint: commit.count)
    }
    return bytes
  }

  init() {}

  init(start: UInt64, _ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      let offset = reader.offset
      let place = UInt64(try reader.byte())
      guard place < Self.span else { throw FormatFailure(.value, at: offset) }
      commits.append(
        Commit(
          sequence: start + place, id: try reader.uuid(), first: try reader.number(),
          count: try reader.number()))
    }
  }
}

extension StoreReader {
  /// Returns the row of decided commits that begins at a sequence.
  func commitRows(from start: UInt64) throws(AnnalsError) -> CommitRows {
    try row(CommitRows.name(start), in: tables.meta) { (bytes) throws(FormatFailure) in
      try CommitRows(start: start, bytes)
    } ?? CommitRows()
  }

  /// Returns the commits that are remembered after the message at `sequence`.
  func recentCommits(upTo sequence: UInt64) throws(AnnalsError) -> RecentCommits {
    var recent = RecentCommits()
    try eachCommit(from: sequence > RecentCommits.window ? sequence - RecentCommits.window : 0) { commit in
      recent.note(commit.id, at: commit.sequence)
    }
    return recent
  }

  /// Calls `body` for each decided commit from the row with `sequence` on, in order.
  func eachCommit(
    from sequence: UInt64, _ body: (CommitRows.Commit) -> Void
  ) throws(AnnalsError) {
    var names: [String] = []
    let prefix = "\(ClusterRow.prefix) \(CommitRows.kind) "
    try eachMetaName(
      beginningWith: prefix, from: CommitRows.name(CommitRows.start(of: sequence))
    ) { names.append($0) }
    for name in names {
      guard let start = UInt64(name.dropFirst(prefix.count), radix: 16) else { continue }
      for commit in try commitRows(from: start).commits { body(commit) }
    }
  }
}
