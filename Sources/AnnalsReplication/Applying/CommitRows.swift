internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The commits of 64 sequences, or of fewer that have 64 commits or more: a row of `meta`, whose name has the
/// first sequence.
///
/// By the rows a copy of a commit is recognised after a restart, and they lead from an entry to its message.
/// The commits of one message are in one row, in the order of the message.
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

  /// The first sequence of the row.
  let start: UInt64
  var commits: [Commit] = []

  /// The first sequence of the first row that may have the commits at `sequence`.
  static func start(of sequence: UInt64) -> UInt64 { sequence / span * span }

  /// Returns the row that begins with the commits at `sequence`; `nil` if they belong to this one.
  ///
  /// Each transaction writes the newest row again, so a row with many commits takes no further ones.
  func next(for sequence: UInt64) -> CommitRows? {
    let group = Self.start(of: sequence)
    guard group == Self.start(of: start) else { return CommitRows(start: group) }
    guard commits.count >= Self.span, commits.last?.sequence != sequence else { return nil }
    return CommitRows(start: sequence)
  }

  /// The name of the row that begins at a sequence.
  static func name(_ start: UInt64) -> String { ClusterRow.name(kind, start) }

  /// For each commit its sequence less the row's first one (one byte), its id, its first position and the
  /// number of its entries (varints).
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(commits.count * 24)
    for commit in commits {
      bytes.append(UInt8(truncatingIfNeeded: commit.sequence - start))
      let id = commit.id.halves
      bytes.append(littleEndian: id.low)
      bytes.append(littleEndian: id.high)
      bytes.append(varint: commit.first)
      bytes.append(varint: commit.count)
    }
    return bytes
  }

  init(start: UInt64) {
    self.start = start
  }

  init(start: UInt64, _ bytes: Span<UInt8>) throws(FormatFailure) {
    self.start = start
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
  /// Returns the row to which the commits after `sequence` are added.
  func newestCommitRows(upTo sequence: UInt64) throws(AnnalsError) -> CommitRows {
    let start = try commitRowStarts(from: sequence).last ?? CommitRows.start(of: sequence)
    return try commitRows(from: start)
  }

  /// Returns the commits that are remembered after the message at `sequence`.
  func recentCommits(upTo sequence: UInt64) throws(AnnalsError) -> RecentCommits {
    let first = sequence > RecentCommits.window ? sequence - RecentCommits.window : 0
    var rows: [CommitRows] = []
    var count = 0
    // One more than are remembered: it says up to which sequence commits are forgotten.
    for start in try commitRowStarts(from: first).reversed() where count <= RecentCommits.limit {
      let row = try commitRows(from: start)
      count += row.commits.count
      rows.append(row)
    }
    var recent = RecentCommits()
    for row in rows.reversed() {
      for commit in row.commits { recent.note(commit.id, at: commit.sequence) }
    }
    return recent
  }

  /// Calls `body` for each commit, in order.
  func eachCommit(_ body: (CommitRows.Commit) -> Void) throws(AnnalsError) {
    for start in try commitRowStarts(from: 0) {
      for commit in try commitRows(from: start).commits { body(commit) }
    }
  }

  /// Returns the row of commits that begins at a sequence.
  private func commitRows(from start: UInt64) throws(AnnalsError) -> CommitRows {
    try row(CommitRows.name(start), in: tables.meta) { (bytes) throws(FormatFailure) in
      try CommitRows(start: start, bytes)
    } ?? CommitRows(start: start)
  }

  /// Returns the first sequences of all rows from the first one that may have the commits at `sequence`.
  private func commitRowStarts(from sequence: UInt64) throws(AnnalsError) -> [UInt64] {
    var starts: [UInt64] = []
    let prefix = "\(ClusterRow.prefix) \(CommitRows.kind) "
    let first = CommitRows.name(CommitRows.start(of: sequence))
    try eachMetaName(beginningWith: prefix, from: first) { name in
      if let start = UInt64(name.dropFirst(prefix.count), radix: 16) { starts.append(start) }
    }
    return starts
  }
}
