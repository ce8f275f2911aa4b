import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsVerify

@Suite struct VerifyTests {
  /// A store with several streams, long and short, some ids and metadata.
  private func filled(_ place: TemporaryStore, seed: UInt64 = 1) async throws {
    let log = try place.open()
    var calls = CallGenerator(seed: seed)
    var model = ArrayModel()
    for _ in 0..<40 {
      let parts = calls.next(model)
      guard case .stored = model.append(parts) else { continue }
      try await log.append { call in
        for part in parts {
          call.append(
            part.events.map {
              NewEntry(
                type: $0.type, version: $0.version, payload: Payload(stored: $0.payload), id: $0.id,
                metadata: ["user": "7"])
            }, to: part.stream)
        }
      }
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `an appended log is clean`(seed: UInt64) async throws {
    let place = try TemporaryStore()
    try await filled(place, seed: seed)
    let report = try EventLog.verify(place.url)
    #expect(report.findings == [])
    #expect(report.isClean)
    #expect(report.entries > 100)
    #expect(report.streams > 3)
  }

  @Test func `an empty store is clean`() throws {
    let place = try TemporaryStore()
    _ = try place.open()
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a flipped byte in an entry is named by its position`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for number in 1...200 {
      try await log.append(
        [
          NewEntry(type: "Placed", version: nil, payload: try Payload(["marker": .init("find-me-\(number)")]))
        ], to: "a")
    }
    let file = place.url.appendingPathComponent("log-000001.mdb")
    var bytes = try Data(contentsOf: file)
    // Pages that were replaced still hold older copies; every copy is damaged, the live one among them.
    var start = bytes.startIndex
    while let found = bytes.range(of: Data("find-me-123".utf8), in: start..<bytes.endIndex) {
      bytes[found.lowerBound] ^= 0x20
      start = found.upperBound
    }
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
    let report = try EventLog.verify(place.url)
    #expect(report.findings.map(\.position) == [123, 124])
    #expect(report.findings.first?.problem.contains("checksum") == true)
  }

  @Test func `a copy without lock files is read and checked`() async throws {
    let place = try TemporaryStore()
    try await filled(place)
    for name in try FileManager.default.contentsOfDirectory(atPath: place.url.path)
    where name.hasSuffix("lock") || name.hasSuffix(".lease") {
      try FileManager.default.removeItem(at: place.url.appendingPathComponent(name))
    }
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try EventLog.inspect(place.url).entries > 100)
  }

  @Test(arguments: [1_000, 10_000])
  func `the number of additional look-ups does not grow with the entries`(
    entries: Int
  ) async throws {
    let place = try TemporaryStore()
    do {
      let log = try place.open(StoreOptions())
      for start in stride(from: 0, to: entries, by: 1_000) {
        try await log.append { call in
          for number in start..<start + 1_000 {
            let entry = NewEntry(
              type: "T", version: nil, payload: Payload(stored: [0xa0]), id: number % 3 == 0 ? UUID() : nil)
            call.append([entry], to: "s\(number % 20)")
          }
        }
      }
    }
    let report = try EventLog.verify(place.url)
    #expect(report.isClean && report.entries == UInt64(entries))
    // For each of the twenty streams: its first entry, its rows, and one look-up for its ids.
    #expect((1...80).contains(report.lookUps), "\(report.lookUps)")
  }

  @Test func `pages that are written meanwhile are no findings, and no process waits`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([try .placed(0)], to: "order-0")
    let writing = Task {
      for number in 1...300 {
        try await log.append([try .placed(number)], to: "order-\(number % 7)")
      }
    }
    for _ in 0..<10 {
      let report = try EventLog.verify(place.url)
      #expect(report.findings == [])
      #expect(try EventLog.inspect(place.url).entries > 0)
    }
    try await writing.value
    #expect(try EventLog.verify(place.url).entries == 301)
  }
}
