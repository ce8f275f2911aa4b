import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Streams in the order of their names' bytes.
@Suite struct StreamListTests {
  private func names(
    _ log: EventLog, prefix: String = "", after previous: StreamName? = nil
  ) throws(AnnalsError) -> [String] {
    try log.read { (snapshot) throws(AnnalsError) in
      var streams = try snapshot.streams(prefix: prefix, after: previous)
      var names: [String] = []
      while let stream = try streams.next() { names.append(stream.name.text) }
      return names
    }
  }

  private func filled(_ place: TemporaryStore) async throws -> EventLog {
    let log = try place.open()
    for name in ["b", "a/2", "a", "a/1", "é", "c"] {
      try await log.append([.placed(1)], to: StreamName(name))
    }
    return log
  }

  @Test func `a list begins after a name, regardless of whether that exists`() async throws {
    let place = try TemporaryStore()
    let log = try await filled(place)
    #expect(try names(log) == ["a", "a/1", "a/2", "b", "c", "é"])
    #expect(try names(log, after: "a/1") == ["a/2", "b", "c", "é"])
    #expect(try names(log, after: "a/11") == ["a/2", "b", "c", "é"])
    #expect(try names(log, after: "é") == [])
    #expect(try names(log, after: "") == ["a", "a/1", "a/2", "b", "c", "é"])
  }

  @Test func `a list with a prefix ends with it, wherever it begins`() async throws {
    let place = try TemporaryStore()
    let log = try await filled(place)
    #expect(try names(log, prefix: "a") == ["a", "a/1", "a/2"])
    #expect(try names(log, prefix: "a", after: "a/1") == ["a/2"])
    #expect(try names(log, prefix: "b", after: "a") == ["b"])
    #expect(try names(log, prefix: "a", after: "b") == [])
    #expect(try names(log, prefix: String(repeating: "a", count: 501)) == [])
  }
}
