import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// Queries as values.
@Suite struct LogQueryTests {
  private let names = ["Tcaf\u{e9}", "Tcafe\u{301}"]

  @Test func `types are compared by their bytes`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    for name in [names[0], names[1], names[0]] {
      try await log.append([NewEntry(type: name, version: nil, payload: Payload(stored: [0xa0]))], to: "a")
    }
    for types in [names, names.reversed()] {
      let positions = try log.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(matching: [LogQuery.Item(types: types)])
        var found: [Position] = []
        while let entry = try entries.next() { found.append(entry.position) }
        return found
      }
      #expect(positions == [1, 2, 3])
    }
    let items = names.map { LogQuery.Item(types: [$0]) }
    #expect(items[0] != items[1] && Set(items).count == 2)
    #expect(LogQuery.Item(types: names) == LogQuery.Item(types: names + names.reversed()))
  }
}
