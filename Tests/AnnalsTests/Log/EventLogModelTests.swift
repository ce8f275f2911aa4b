import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Random calls against a store and against the log as an array: equal answers, equal errors, equal reads.
@Suite struct EventLogModelTests {
  private func expectEqual(
    _ entry: LogEntry, _ model: ArrayModel, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let stored = model.entries[Int(entry.position.rawValue) - 1]
    #expect(entry.stream == stored.stream, sourceLocation: sourceLocation)
    #expect(entry.revision.rawValue == stored.revision, sourceLocation: sourceLocation)
    #expect(
      entry.type == stored.event.type && entry.version == stored.event.version, sourceLocation: sourceLocation
    )
    #expect(entry.id == stored.event.id, sourceLocation: sourceLocation)
    #expect(entry.content == .payload(Payload(stored: stored.event.payload)), sourceLocation: sourceLocation)
  }

  private func expectEqual(_ log: EventLog, _ model: ArrayModel) throws {
    try log.read { (snapshot) throws in
      let all = try snapshot.all()
      #expect(all.map(\.position.rawValue) == Array(1...UInt64(model.entries.count)))
      for entry in all { expectEqual(entry, model) }
      for stream in Set(model.entries.map(\.stream)) {
        let positions = model.positions(of: stream)
        let forwards = try snapshot.all(in: stream)
        #expect(forwards.map { Int($0.position.rawValue) } == positions)
        for entry in forwards { expectEqual(entry, model) }
        let backwards = try snapshot.all(in: stream, backwards: true)
        #expect(backwards.map { Int($0.position.rawValue) } == positions.reversed())
        #expect(try snapshot.revision(of: stream)?.rawValue == UInt64(positions.count - 1))
      }
      #expect(try snapshot.revision(of: "never") == nil)
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a store answers as the array does, also after reopening`(seed: UInt64) async throws {
    let place = try TemporaryStore()
    var calls = CallGenerator(seed: seed)
    var model = ArrayModel()
    for _ in 0..<4 {
      let log = try place.open()
      for _ in 0..<25 {
        let parts = calls.next(model)
        let wanted = model.append(parts)
        #expect(try await log.outcome(of: parts) == wanted)
      }
      try expectEqual(log, model)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `any part of a stream or of the log is read in either direction`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    let log = try place.open()
    var streams: [StreamName] = []
    for number in 0..<700 as Range<Int> {
      let stream: StreamName = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
      streams.append(stream)
      if number % 7 == 6 {
        let batch = streams.suffix(7)
        try await log.append { call in
          for stream in batch {
            call.append([NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))], to: stream)
          }
        }
      }
    }
    let positions = streams.indices.filter { streams[$0] == "a" }.map { UInt64($0 + 1) }
    try log.read { (snapshot) throws in
      for _ in 0..<60 {
        let start = Int.random(in: 0...(positions.count + 2), using: &generator)
        let limit = [0, 1, 2, 10, 300, Int.max].randomElement(using: &generator) ?? 1
        let forwards = try snapshot.all(in: "a", from: Revision(UInt64(start)), limit: limit)
        #expect(forwards.map(\.position.rawValue) == Array(positions.dropFirst(start).prefix(limit)))
        let backwards = try snapshot.all(
          in: "a", from: Revision(UInt64(start)), backwards: true, limit: limit)
        #expect(
          backwards.map(\.position.rawValue) == Array(positions.prefix(start + 1).reversed().prefix(limit)))

        let from = UInt64.random(in: 0...705, using: &generator)
        var all = try snapshot.entries(from: Position(from), backwards: Bool(start % 2 == 0), limit: limit)
        var read: [UInt64] = []
        while let entry = try all.next() { read.append(entry.position.rawValue) }
        let wanted: [UInt64] =
          start % 2 == 0
          ? Array((1...700 as ClosedRange<UInt64>).reversed().filter { $0 <= from }.prefix(limit))
          : Array((1...700 as ClosedRange<UInt64>).filter { $0 >= from }.prefix(limit))
        #expect(read == wanted)
      }
    }
  }
}
