import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsVerify

/// Merging heads into their rows is invisible to readers.
@Suite struct EventLogMergeTests {
  private static let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))

  /// Appends one entry to each of `streams`, in calls of one to nine.
  private func append(
    _ streams: [Int], to log: EventLog, using generator: inout SeededGenerator
  ) async throws {
    var rest = streams[...]
    while !rest.isEmpty {
      let call = rest.prefix(Int.random(in: 1...9, using: &generator))
      rest = rest.dropFirst(call.count)
      try await log.append { parts in
        for stream in call { parts.append([Self.entry], to: "s\(stream)") }
      }
    }
  }

  private func expect(
    _ snapshot: borrowing LogSnapshot, is streams: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var positions: [Int: [UInt64]] = [:]
    for (index, stream) in streams.enumerated() { positions[stream, default: []].append(UInt64(index) + 1) }
    for (stream, wanted) in positions {
      let found = try snapshot.all(in: "s\(stream)").map(\.position.rawValue)
      #expect(found == wanted, sourceLocation: sourceLocation)
    }
    var list = try snapshot.streams()
    var names: [String] = []
    while let summary = try list.next() {
      names.append(summary.name.text)
      let wanted = try #require(positions[Int(summary.name.text.dropFirst()) ?? -1])
      #expect(
        summary.first.rawValue == wanted.first && summary.last.rawValue == wanted.last
          && summary.revision.rawValue == UInt64(wanted.count - 1), sourceLocation: sourceLocation)
    }
    #expect(names == positions.keys.map { "s\($0)" }.sorted(), sourceLocation: sourceLocation)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `snapshots that are held show the log unchanged, regardless of merges`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    var streams: [Int] = []
    for _ in 0..<3 {
      let log = try place.open(.merging(every: UInt64.random(in: 4...40, using: &generator)))
      for _ in 0..<4 {
        let old = try LogSnapshot(log.core)
        let before = streams
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let more = (0..<40).map { _ in Int.random(in: 0..<60, using: &generator) }
          try await append(more, to: log, using: &generator)
          streams += more
          try log.read { (snapshot) throws in try expect(snapshot, is: streams) }
          try expect(old, is: before)
        }
      }
      let info = try log.info()
      #expect(info.entries == UInt64(streams.count) && info.streams == UInt64(Set(streams).count))
    }
    let report = try EventLog.verify(place.url)
    #expect(report.isClean, "\(report)")
    #expect(report.streams == UInt64(Set(streams).count))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a store that is cut off with a tail, or in a merge, is sound and goes on`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    var streams: [Int] = []
    for round in 0..<4 {
      let copy = place.directory.appendingPathComponent("round-\(round).annals")
      do {
        let log = try place.open(.merging(every: 64))
        let more = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
          Int.random(in: 0..<90, using: &generator)
        }
        try await append(more, to: log, using: &generator)
        streams += more
        // As a kill would leave it: no merge at the end.
        try FileManager.default.copyItem(at: place.url, to: copy)
      }
      let report = try EventLog.verify(copy)
      #expect(report.isClean, "\(report)")
      #expect(report.streams == UInt64(Set(streams).count))
      try FileManager.default.removeItem(at: place.url)
      try FileManager.default.moveItem(at: copy, to: place.url)
      let log = try place.open(StoreOptions(access: .readOnly))
      try log.read { (snapshot) throws in try expect(snapshot, is: streams) }
    }
  }

  @Test func `an orderly end leaves no tail`() async throws {
    let place = try TemporaryStore()
    for round in 1...3 as ClosedRange<UInt64> {
      do { try await place.open(StoreOptions()).append([Self.entry], to: "a") }
      let info = try EventLog.inspect(place.url)
      #expect(info.entries == round && info.tailLength == 0)
    }
  }

  @Test func `levels of a long stream survive reading the tail again`() async throws {
    let place = try TemporaryStore()
    let copy = place.directory.appendingPathComponent("copy.annals")
    do {
      let log = try place.open(StoreOptions())
      try await log.append(Array(repeating: Self.entry, count: 5_000), to: "a")
    }
    do {
      let log = try place.open(StoreOptions())
      for _ in 0..<70 { try await log.append([Self.entry], to: "a") }
      try FileManager.default.copyItem(at: place.url, to: copy)
    }
    let log = try EventLog(at: copy)
    try log.read { (snapshot) throws in
      let head = try #require(try snapshot.head(of: "a"))
      #expect(head.revision == 5_069 && head.levels.count == 6)
    }
    for _ in 0..<200 { try await log.append([Self.entry], to: "a") }
    #expect(try log.read { (snapshot) throws in try snapshot.all(in: "a").count } == 5_270)
  }

  @Test(arguments: 0...8) func `expectations hold for more streams than memory has heads for`(heads: Int)
    async throws
  {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.holdHeads(heads)
    do {
      let log = try place.open(options)
      for stream in 0..<12 {
        try await log.append(Array(repeating: Self.entry, count: stream + 1), to: "s\(stream)")
      }
    }
    let log = try place.open(options)
    for wrong in 0..<12 {
      let error = await #expect(throws: AnnalsError.self) {
        try await log.append { call in
          for stream in 0..<12 {
            let revision = Revision(UInt64(stream == wrong ? stream + 1 : stream))
            call.append([Self.entry], to: "s\(stream)", expecting: .revision(revision))
          }
        }
      }
      #expect(error?.details.violations.map(\.stream) == ["s\(wrong)"])
    }
    let done = try await log.append { call in
      for stream in 0..<12 {
        call.append([Self.entry], to: "s\(stream)", expecting: .revision(Revision(UInt64(stream))))
      }
    }
    #expect(done.revisions.map(\.rawValue) == (1...12).map { UInt64($0) })
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `new streams take no more memory than heads may have, and appends wait for their merge`()
    async throws
  {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.headMemory = 1 << 20
    options.durability = .relaxed
    let limit = options.headLimit
    let interval = options.mergeInterval.fitting(memory: options.headMemory).entries
    #expect(interval == 1310)
    let (calls, count) = (300, 100)
    var (longest, most): (UInt64, Int) = (0, 0)
    do {
      let log = try place.open(options)
      for call in 0..<calls {
        try await log.append { parts in
          for stream in 0..<count { parts.append([Self.entry], to: "s\(call)-\(stream)") }
        }
        let (tail, slots) = log.core.generation.heads.withTable { ($0.tail, $0.slots.count) }
        (longest, most) = (max(longest, tail), max(most, slots))
      }
    }
    #expect(longest <= 9 * interval / 4 + 2 * UInt64(count))
    // Heads of a frozen interval stay until their rows are written.
    #expect(most <= limit + Int(interval))
    let report = try EventLog.verify(place.url)
    #expect(report.isClean && report.streams == UInt64(calls * count), "\(report)")
    #expect(try EventLog.inspect(place.url).tailLength == 0)
  }

  @Test(arguments: [0, 1 << 20, 32 << 20, 64 << 20, 1 << 30])
  func `the interval of merges fits into the memory for heads`(memory: Int) {
    let entries = HeadMerge.Interval().fitting(memory: memory).entries
    #expect(entries == UInt64(min(max(memory / 800, 1024), 128 << 10)))
    #expect(HeadMerge.Interval(entries: 16).fitting(memory: memory).entries == 16)
  }
}
