package import AnnalsCoding
internal import AnnalsFormat

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
    return try mark(at: checkpoint.position) == checkpoint.mark ? .agrees : .differs
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

  /// The mark of the entry at `position`, whose checksum is compared on the way.
  func mark(at position: Position) throws(AnnalsError) -> UInt32 {
    let entry = try lend(try bytes(at: position), at: position)
    if entry.header.flags.contains(.stub), let mark = try entry.erasedMark { return mark }
    return entry.mark
  }
}

extension LentEntry {
  /// The mark by which a checkpoint identifies the entry. Every migration pass keeps it, even if it changes
  /// the stream, revision and payload.
  var mark: UInt32 {
    Self.mark(position, time, id)
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
}
