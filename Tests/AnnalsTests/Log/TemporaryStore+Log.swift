import Foundation

@testable import Annals

extension TemporaryStore {
  /// The store, created at the first use. Heads are merged far more often than they are for users.
  func open(_ options: StoreOptions = .merging(every: 16)) throws(AnnalsError) -> EventLog {
    try EventLog(at: url, options: options)
  }
}

extension StoreOptions {
  /// Options with which heads are merged after so many entries, and only few others are kept in memory.
  static func merging(every entries: UInt64) -> StoreOptions {
    var options = StoreOptions()
    options.mergeInterval = HeadMerge.Interval(entries: entries, bytes: 1 << 20)
    options.holdHeads(8)
    return options
  }

  /// Options of a store whose last commit a power cut may take.
  static var relaxedCommits: StoreOptions {
    var options = StoreOptions()
    options.durability = .relaxed
    return options
  }

  /// Sets the memory for heads to the least that is enough for `count` of them.
  mutating func holdHeads(_ count: Int) {
    headMemory = 0
    while headLimit < count { headMemory += 64 }
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

  /// Entries of one stream as an array.
  func all(
    in stream: StreamName, from: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> [LogEntry] {
    var entries = try entries(in: stream, from: from, backwards: backwards, limit: limit)
    var all: [LogEntry] = []
    while let entry = try entries.next() { all.append(entry) }
    return all
  }
}

extension NewEntry {
  /// A placed order, with a number that distinguishes it from others.
  static func placed(_ number: Int, id: UUID? = nil) throws -> NewEntry {
    NewEntry(
      type: "Placed", version: SchemaVersion(1, 0, 0), payload: try Payload(["number": .init(number)]), id: id
    )
  }
}
