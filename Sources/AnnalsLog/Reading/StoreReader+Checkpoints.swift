package import AnnalsCoding
package import AnnalsFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Whether a checkpoint is one of the log as it is now.
package enum CheckpointAgreement: Equatable, Sendable {
  /// It is.
  case agrees
  /// It is of another log.
  case otherLog
  /// The log ends before it, at the position given.
  case ahead(of: Position)
  /// Another entry is at its position: the log was restored or lost its end, and then grew again.
  case differs
}

extension StoreReader {
  /// The checkpoint after the entry at `position`, or before the first one (0).
  package func checkpoint(at position: Position, log: UUID) throws(AnnalsError) -> Checkpoint {
    var meta = StoreMeta(log: log)
    try read(.incarnation, into: &meta)
    guard position.rawValue > 0 else { return .beginning(of: log, incarnation: meta.incarnation.number) }
    return Checkpoint(
      log: log, incarnation: meta.incarnation.number, position: position, mark: try mark(at: position))
  }

  /// The position at which the append call of the entry at `position` ends.
  package func endOfCall(at position: Position) throws(AnnalsError) -> Position {
    let last = try last()
    var end = position.rawValue
    while end < last {
      let entry = try lend(try bytes(at: Position(end)), at: Position(end))
      if entry.header.flags.contains(.endOfCall) { break }
      end += 1
    }
    return Position(end)
  }

  /// Whether a checkpoint is one of this log.
  package func agreement(with checkpoint: Checkpoint, log: UUID) throws(AnnalsError) -> CheckpointAgreement {
    guard checkpoint.log == log else { return .otherLog }
    guard checkpoint.position.rawValue > 0 else { return .agrees }
    let last = try last()
    guard checkpoint.position.rawValue <= last else { return .ahead(of: Position(last)) }
    var meta = StoreMeta(log: log)
    try read(.incarnation, into: &meta)
    if checkpoint.incarnation != meta.incarnation.number,
      checkpoint.position.rawValue > meta.incarnation.branch
    {
      return .differs
    }
    let mark = checkpoint.mark
    let entry = try lend(try bytes(at: checkpoint.position), at: checkpoint.position)
    let own = try entry.ownMark
    // A library that did not compare commits has stored the first, also for entries without an id.
    if mark == own || mark == entry.mark { return .agrees }
    guard entry.id == nil, let commit = try commit(of: checkpoint.position) else { return .differs }
    return mark == LentEntry.mark(own, of: commit) || mark == LentEntry.mark(entry.mark, of: commit)
      ? .agrees : .differs
  }

  /// Whether a repair has replaced the entry at `position`, which could not be read. Its time and id are
  /// lost, and so is its mark.
  package func isReplacement(at position: Position) throws(AnnalsError) -> Bool {
    let entry = try lend(try bytes(at: position), at: position)
    let body = try entry.layout { () throws(FormatFailure) in
      try EntryBody(entry.bytes, header: entry.header)
    }
    guard case .stub(let stub) = body else { return false }
    // A pass that sets an entry aside, in contrast, names the versions of the stage.
    return [.quarantined, .givenUp].contains(stub.cause) && stub.from == nil && stub.to == nil
  }

  /// The mark of a checkpoint after the entry at `position`, whose checksum is compared on the way.
  private func mark(at position: Position) throws(AnnalsError) -> UInt32 {
    let entry = try lend(try bytes(at: position), at: position)
    if entry.header.flags.contains(.stub), let mark = try entry.erasedMark { return mark }
    guard entry.id == nil, let commit = try commit(of: position) else { return entry.mark }
    return LentEntry.mark(position, entry.time, nil, committedAt: commit)
  }

  /// The mark of the values of the entry at `position`, which an erasure keeps.
  func ownMark(at position: Position) throws(AnnalsError) -> UInt32 {
    try lend(try bytes(at: position), at: position).ownMark
  }
}

extension LentEntry {
  /// The mark of the position, time and id. Every migration pass keeps it, even if it changes the stream,
  /// revision and payload.
  var mark: UInt32 {
    Self.mark(position, time, id)
  }

  /// The mark of the values that the entry has, or had before it was erased.
  var ownMark: UInt32 {
    get throws(AnnalsError) {
      guard header.flags.contains(.stub) else { return mark }
      return try erasedMark ?? mark
    }
  }

  /// The mark that an erased entry had while it had its id; `nil` for every other entry.
  package var erasedMark: UInt32? {
    get throws(AnnalsError) {
      let body = try layout { () throws(FormatFailure) in try EntryBody(bytes, header: header) }
      guard case .stub(let stub) = body else { return nil }
      return stub.mark
    }
  }

  /// Returns the mark of an entry with this position, time and id.
  package static func mark(_ position: Position, _ time: Timestamp, _ id: UUID?) -> UInt32 {
    var parts: [UInt8] = []
    parts.reserveCapacity(32)
    parts.append(littleEndian: position.rawValue)
    parts.append(littleEndian: UInt64(bitPattern: time.microseconds))
    id?.withBytes { bytes in for index in bytes.indices { parts.append(bytes[index]) } }
    return Checksum.crc32c(parts.span)
  }

  /// How far the time of an entry may be from its commit to be taken for that of the clock, in microseconds.
  private static let nearby: UInt64 = 10_000_000

  /// Returns the mark of a checkpoint after an entry with this position, time and id.
  ///
  /// A time of the clock, or an id, is not the same in two histories of a log. A time that a caller gave can
  /// be, such as the day of an imported record. So the mark of an entry without either covers the commit.
  ///
  /// - Parameter commit: The noted commit that the entry counts as of; `nil` if the store notes none.
  package static func mark(
    _ position: Position, _ time: Timestamp, _ id: UUID?, committedAt commit: CommitTimes.Sample?
  ) -> UInt32 {
    let own = mark(position, time, id)
    guard id == nil, let commit else { return own }
    let (distance, isFar) = time.microseconds.subtractingReportingOverflow(commit.time)
    return isFar || distance.magnitude > nearby ? mark(own, of: commit) : own
  }

  /// Returns the mark of an entry with the mark `own` that counts as of a commit.
  fileprivate static func mark(_ own: UInt32, of commit: CommitTimes.Sample) -> UInt32 {
    var parts: [UInt8] = []
    parts.reserveCapacity(20)
    parts.append(littleEndian: own)
    parts.append(littleEndian: commit.first)
    parts.append(littleEndian: UInt64(bitPattern: commit.time))
    return Checksum.crc32c(parts.span)
  }
}
