import Testing

@testable import Annals
@testable import AnnalsLog

@Suite struct LogScanTests {
  @Test func `a scan lends the same parts of each entry that a read copies`() async throws {
    let store = try TemporaryStore()
    let log = try store.open()
    for number in 0..<40 { try await log.append([.placed(number)], to: "order-\(number % 7)") }
    try log.read { snapshot throws(AnnalsError) in
      let entries = try snapshot.all()
      var scan = try snapshot.scan()
      for entry in entries {
        guard let lent = try scan.next() else {
          Issue.record("the scan ends before position \(entry.position)")
          return
        }
        #expect(lent.position == entry.position)
        #expect(lent.revision == entry.revision)
        #expect(lent.time == entry.time)
        #expect(lent.stream == entries.first { $0.stream == entry.stream }?.position)
        let stream = try scan.stream(of: lent)
        #expect(stream == entry.stream)
        let record = try snapshot.record(of: lent)
        #expect(record?.type == entry.type)
        #expect(record?.version == entry.version)
        guard let payload = lent.payload else {
          Issue.record("position \(entry.position) has no payload")
          return
        }
        #expect(entry.content == .payload(Payload(stored: payload.copied)))
      }
      #expect(try scan.next() == nil)
    }
  }
}
