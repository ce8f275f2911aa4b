internal import AnnalsAttachments
public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsProjections
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An erasure that the log records.
public struct Erasure: Hashable, Sendable {
  /// Where the bytes of erased events may still be.
  public enum Place: Hashable, Sendable {
    /// The file of a generation: the erasure left the bytes in its free pages, or the generation is older,
    /// was rolled back before the erasure, or cannot be read.
    case generation(UInt64)
    /// A backup that was made before the erasure, or of a generation that still had the bytes: its id, and
    /// the place where it was made.
    case backup(UUID, at: String)
    /// The context of the stage to this version, which was computed from the whole log before the erasure.
    case context(String)
    /// The file of a view that no program reads any more. The next program that opens the view removes it,
    /// and so does ``EventLog/discardPrevious(_:)``. `nil` if the file does not name its view.
    case view(String?)
    /// A file of `blobs` to which no event refers any more, or that an interrupted writer has left. A later
    /// pass removes it.
    case content(String)
  }

  /// The position of the system entry that records it.
  public let position: Position
  /// Who asked for it.
  public let author: String
  /// Why.
  public let reason: String
  /// When it was done.
  public let time: Timestamp
  /// The positions of the erased events, in ascending ranges; empty if the key of a person was dropped.
  public let positions: [ClosedRange<Position>]
  /// The generation in which it was done.
  public let generation: UInt64
  /// Where bytes of the events may still be, as far as the store knows.
  public let remains: [Place]

  /// The number of erased entries.
  public var count: UInt64 {
    positions.reduce(0) { $0 + $1.upperBound.rawValue - $1.lowerBound.rawValue + 1 }
  }
}

extension EventLog {
  /// Returns the erasures of the log, oldest first, each with the places where its bytes may still be.
  ///
  /// The store knows its generations, contexts, views and attachments, and the backups that were made of it.
  /// It does not know of copies made by other means. An erasure that was begun and is not complete is in
  /// ``unfinishedErasures()``.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `permission` or `inputOutput`.
  /// - Complexity: O(changes of the log), and O(log) if the store has contents of attachments that are older
  ///   than an erasure, or generations that are not in use and later than the one in which it was done.
  public func erasures() throws(AnnalsError) -> [Erasure] {
    // Before the snapshot: no file is opened while a snapshot is read.
    let files = try generations(after: oldestOfInterest())
    let views = try core.withdrawnFiles()
    // Before the snapshot, so that an event that refers to one of them is in it.
    var contents = try UnusedContents(in: core.generation.directory)
    return try read { (snapshot) throws(AnnalsError) in
      let inUse = snapshot.generation.number
      let changes = try snapshot.systemEntries()
      let newest = changes.last {
        if case .erased(let positions, _) = $0.entry.change { !positions.isEmpty } else { false }
      }
      try contents.keepUnused(by: snapshot.reader, until: newest?.time.microseconds ?? .min)
      let backups = try snapshot.reader.backups()
      var contexts: [String] = []
      try snapshot.reader.eachMetaName(beginningWith: "context ") { contexts.append(String($0.dropFirst(8))) }
      try snapshot.reader.eachMetaName(beginningWith: "keyed ") { contexts.append(String($0.dropFirst(6))) }
      // Without positions, a key was dropped: entries are encrypted, and only rows of inline
      // projections have values.
      let hasInline = try !snapshot.reader.ruleRows().isEmpty
      let removed = try snapshot.reader.contextsRemoved()
      var erasures: [Erasure] = []
      for change in changes {
        guard case .erased(let positions, _) = change.entry.change else { continue }
        let generation = try snapshot.generation(ofErasure: change) ?? inUse
        var remains: [Erasure.Place] = []
        let hasRows = !positions.isEmpty || hasInline
        for file in files {
          let isInUse = file.number == inUse
          let hasBytes = file.number <= generation || !isInUse && file.mayHaveBytes(of: change)
          let hasContexts =
            file.number <= removed || removed > 0 && !isInUse && file.mayHaveContexts(removedBy: removed)
          if hasRows && hasBytes || hasContexts { remains.append(.generation(file.number)) }
        }
        for backup in backups where !backup.isGone {
          // A backup of the generation in which the events were erased has them in unused parts of its pages.
          let isBefore =
            backup.last < change.position.rawValue || backup.generation.map { $0 <= generation } ?? true
          let hasContexts = backup.generation.map { !contexts.isEmpty || $0 <= removed } ?? false
          if hasRows && isBefore || hasContexts { remains.append(.backup(backup.id, at: backup.place)) }
        }
        for context in contexts { remains.append(.context(context)) }
        // A view with newer rows was made after the erasure.
        for view in views where view.folded.map({ $0 < change.position }) ?? true {
          remains.append(.view(view.name))
        }
        if !positions.isEmpty {
          remains += contents.names(until: change.time.microseconds).map { .content($0) }
        }
        erasures.append(
          Erasure(
            position: change.position, author: change.entry.author, reason: change.reason, time: change.time,
            positions: positions.ranges.map { Position($0.lowerBound)...Position($0.upperBound) },
            generation: generation, remains: remains))
      }
      return erasures
    }
  }
}

extension EventLog {
  /// The number up to which generations may have bytes by their numbers alone; the highest one if nothing was
  /// erased.
  private func oldestOfInterest() throws(AnnalsError) -> UInt64 {
    try read { (snapshot) throws(AnnalsError) in
      var oldest: UInt64?
      for change in try snapshot.systemEntries() {
        if let number = try snapshot.generation(ofErasure: change) { oldest = min(number, oldest ?? number) }
      }
      guard let oldest else { return .max }
      let removed = try snapshot.reader.contextsRemoved()
      return removed > 0 ? min(oldest, removed) : oldest
    }
  }
}

extension LogSnapshot {
  /// Returns the generation in which an erasure was done; `nil` if this machine has not noted it, or for any
  /// other change.
  fileprivate func generation(ofErasure change: RecordedChange) throws(AnnalsError) -> UInt64? {
    guard case .erased(_, let generation) = change.entry.change else { return nil }
    return generation == ClusterRow.anyGeneration
      ? try reader.generation(erasedBy: change.position) : generation
  }
}

extension Erasure.Place: CustomStringConvertible {
  /// The place in words.
  public var description: String {
    switch self {
    case .generation(let number): "generation \(number)"
    case .backup(let id, let place): "backup \(id.uuidString.lowercased()) at \(place)"
    case .context(let version): "the context of version \(version)"
    case .view(let name?): "the former rows of the view '\(name)'"
    case .view(nil): "the former rows of a view"
    case .content(let name): "the file blobs/\(name)"
    }
  }
}
