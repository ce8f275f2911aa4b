import Testing

@testable import Annals
@testable import AnnalsLog

@Suite struct StreamStepsTests {
  @Test
  func `a short read in a long stream looks up few entries, and a longer one than was likely is right too`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try place.open()
    let entry = NewEntry(type: "Placed", version: nil, payload: Payload(stored: [0xa0]))
    try await log.append(Array(repeating: entry, count: 900), to: "order-1")
    try log.read { snapshot throws(AnnalsError) in
      let reader = snapshot.reader
      let steps = try snapshot.steps(of: .stream("order-1", from: 5), backwards: false, likely: 3)
      var cursor = try EntryCursor(reader, steps)
      for number in 0..<700 as Range<UInt64> {
        let revision = try cursor.next()?.revision
        guard revision?.rawValue == 5 + number else {
          Issue.record("revision \(revision?.description ?? "none") in place of \(5 + number)")
          return
        }
        // The stream is alone in the log, so no other entry is read on the way.
        if number == 2 { #expect(cursor.touched == 3) }
      }
    }
  }
}
