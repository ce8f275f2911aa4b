internal import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The log behind a place, in one snapshot: what a page of a subscription is made of.
struct FollowReading: ~Copyable, ~Escapable {
  private let reader: StoreReader
  private var cursor: EntryCursor
  private let log: UUID
  private let incarnation: UInt64
  private let floor: UInt64
  private let room: FollowRoom
  /// The checkpoint behind the entry that was looked at last.
  private(set) var checkpoint: Checkpoint
  /// That before it.
  private(set) var before: Checkpoint
  private var looks = 0
  private var bytes = 0

  @_lifetime(borrow snapshot)
  init(
    _ snapshot: borrowing LogSnapshot, _ place: FollowPlace, _ room: FollowRoom, log: UUID, prefix: String?
  ) throws(AnnalsError) {
    let reader = snapshot.reader
    var meta = StoreMeta(log: log)
    try reader.read(.incarnation, into: &meta)
    var names = place.names
    names.enter(generation: snapshot.generation.number)
    let steps = EntrySteps(
      log: LogSteps(
        start: Position(place.checkpoint.position.rawValue + 1), backwards: false, last: try reader.last(),
        limit: .max),
      prefix: prefix, names: names)
    let cursor = try EntryCursor(reader, steps)
    self.reader = reader
    self.cursor = cursor
    self.log = log
    self.room = room
    incarnation = meta.incarnation.number
    floor = place.floor
    checkpoint = place.checkpoint
    before = place.checkpoint
  }

  /// Where a later page begins.
  var place: FollowPlace { FollowPlace(checkpoint: checkpoint, floor: floor, names: cursor.steps.names) }

  /// The next entry that may be wanted; `nil` at the end of the log, or of the page.
  ///
  /// - Parameters:
  ///   - given: How many entries the page has by now.
  ///   - isWanted: Whether an entry is wanted, by what its header says.
  /// - Returns: Whether the log has ended, and the entry.
  @_lifetime(copy self)
  mutating func next(
    given: Int, isLast: inout Bool, _ isWanted: (borrowing LentEntry) -> Bool
  ) throws(AnnalsError) -> LentEntry? {
    while looks < room.looks, given < room.entries, bytes < room.bytes {
      guard let entry = try cursor.next() else {
        isLast = true
        return nil
      }
      looks += 1
      before = checkpoint
      checkpoint = Checkpoint(
        log: log, incarnation: incarnation, position: entry.position,
        mark: entry.mark)
      guard entry.position.rawValue > floor, isWanted(entry) else { continue }
      bytes += entry.bytes.count
      return entry
    }
    return nil
  }

  /// The stream of an entry; `nil` where it is none of those that are read.
  mutating func stream(of entry: borrowing LentEntry) throws(AnnalsError) -> StreamName? {
    let name = try cursor.name(of: entry)
    return cursor.steps.includes(name) ? name : nil
  }
}

extension LogCore {
  /// The place that a subscription begins at.
  func place(of start: SubscriptionStart) throws(AnnalsError) -> FollowPlace {
    var stored: Checkpoint?
    if case .stored(let name) = start { stored = try consumers(creating: false)?.checkpoint(of: name) }
    let snapshot = try LogSnapshot(self)
    let reader = snapshot.reader
    switch start {
    case .beginning: return FollowPlace(checkpoint: try reader.checkpoint(at: 0, log: log))
    case .end: return FollowPlace(checkpoint: try reader.checkpoint(at: Position(reader.last()), log: log))
    case .after(let position):
      let known = Position(min(try reader.last(), position.rawValue))
      return FollowPlace(checkpoint: try reader.checkpoint(at: known, log: log), floor: position.rawValue)
    case .checkpoint(let checkpoint):
      try reader.mustAgree(with: checkpoint, log: log, of: "the checkpoint that a subscription begins at")
      return FollowPlace(checkpoint: checkpoint)
    case .stored(let name):
      guard let stored else { return FollowPlace(checkpoint: try reader.checkpoint(at: 0, log: log)) }
      try reader.mustAgree(with: stored, log: log, of: "the stored checkpoint of '\(name)'")
      return FollowPlace(checkpoint: stored)
    }
  }
}
