public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
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
    /// The file of a generation: the erasure left them in its free pages, or it is older.
    case generation(UInt64)
    /// A backup that was made before: its id, and the place where it was made.
    case backup(UUID, at: String)
    /// The context of the stage to this version, which was worked out from the whole log before.
    case context(String)
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
  /// The store knows its generations, its contexts, and the backups that were made of it. It does not know of
  /// copies by other means.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  /// - Complexity: O(changes of the log).
  public func erasures() throws(AnnalsError) -> [Erasure] {
    let files = try generationFiles()
    return try read { (snapshot) throws(AnnalsError) in
      let inUse = snapshot.generation.number
      let backups = try snapshot.reader.backups()
      var contexts: [String] = []
      try snapshot.reader.eachMetaName(beginningWith: "context ") { contexts.append(String($0.dropFirst(8))) }
      try snapshot.reader.eachMetaName(beginningWith: "keyed ") { contexts.append(String($0.dropFirst(6))) }
      // Without positions, a key was dropped: entries are encrypted, and only rows of inline
      // projections have values.
      let hasInline = try !snapshot.reader.ruleRows().isEmpty
      let removed = try snapshot.reader.contextsRemoved()
      var erasures: [Erasure] = []
      for change in try snapshot.systemEntries() {
        guard case .erased(let positions, var generation) = change.entry.change else { continue }
        if generation == ClusterRow.anyGeneration {
          generation = try snapshot.reader.generation(erasedBy: change.position) ?? inUse
        }
        var remains: [Erasure.Place] = []
        // A file after the one in use is of an unfinished pass, which may have copied the events before.
        if !positions.isEmpty || hasInline {
          for file in files where file <= max(generation, removed) || file > inUse {
            remains.append(.generation(file))
          }
          for backup in backups where backup.last < change.position.rawValue && !backup.isGone {
            remains.append(.backup(backup.id, at: backup.place))
          }
        }
        for context in contexts { remains.append(.context(context)) }
        erasures.append(
          Erasure(
            position: change.position, author: change.entry.author, reason: change.reason, time: change.time,
            positions: positions.ranges.map { Position($0.lowerBound)...Position($0.upperBound) },
            generation: generation, remains: remains))
      }
      return erasures
    }
  }

  /// The numbers of the generations whose files are there, in order.
  private func generationFiles() throws(AnnalsError) -> [UInt64] {
    let names = try files { () throws(StoreFileError) in try core.generation.directory.names() }
    return names.compactMap { CurrentFile.generation(ofFile: $0) }.sorted()
  }
}

extension Erasure.Place: CustomStringConvertible {
  /// The place in words.
  public var description: String {
    switch self {
    case .generation(let number): "generation \(number)"
    case .backup(let id, let place): "backup \(id.uuidString.lowercased()) at \(place)"
    case .context(let version): "the context of version \(version)"
    }
  }
}
