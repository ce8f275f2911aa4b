import Testing

@testable import Annals
@testable import AnnalsLog

@Suite struct StreamNamesTests {
  @Test func `names are right also where more streams are met than names are kept`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let count = 2 * StreamNames().limit + 7
    let entry = NewEntry(type: "Placed", version: nil, payload: Payload(stored: [0xa0]))
    try await log.append { call in
      for number in 0..<count { call.append([entry], to: "order-\(number)") }
      // Back through all of them, and the one before and the next to it again.
      for number in (0..<count).reversed() { call.append([entry], to: "order-\(number)") }
    }
    try log.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries()
      for number in Array(0..<count) + (0..<count).reversed() {
        let stream = try entries.next()?.stream
        guard stream == "order-\(number)" else {
          Issue.record("\(stream?.text ?? "nothing") in place of order-\(number)")
          return
        }
      }
    }
  }
}
