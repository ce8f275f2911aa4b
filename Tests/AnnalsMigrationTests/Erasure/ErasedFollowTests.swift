import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Following a stream whose name is erased and used again.
@Suite struct ErasedFollowTests {
  private static let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))

  @Test func `the entries of the stream that has the name now are delivered from its first one`() async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    try await log.append(Array(repeating: Self.entry, count: 3), to: "s")
    var lines = try EntryLines(log, EntrySelection(stream: "s"))
    while try lines.nextPage() != nil {}
    #expect(lines.count == 3)
    try log.erase(stream: "s", by: "me", because: "a law")
    _ = try await log.compact().report()
    for count in 1...2 {
      try await log.append([Self.entry], to: "s")
      #expect(try await lines.waitForMore())
      while try lines.nextPage() != nil {}
      #expect(lines.count == UInt64(3 + count))
    }
    // Fewer than the erased ones had.
    try await log.append(Array(repeating: Self.entry, count: 3), to: "s")
    #expect(try await lines.waitForMore())
    while try lines.nextPage() != nil {}
    #expect(lines.count == 8)
  }
}
