package import Annals
import AnnalsTestSupport
import Foundation

/// The events of one append call of a workload. All of them follow from the workload's seed and the call's
/// number.
package struct Call: Sendable {
  /// An event and its stream.
  package struct Event: Sendable {
    package let stream: StreamName
    package let entry: NewEntry
  }

  /// The call's place among the calls of its workload, from 0.
  package let number: Int
  /// The events, in order.
  package let events: [Event]
  /// Whether its events have tags, and it is made on the condition that it is not in the log.
  package let isTagged: Bool

  /// The call `number` of the workload with this seed.
  package init(_ number: Int, seed: UInt64, isTagged: Bool = false) throws(AnnalsError) {
    self.number = number
    self.isTagged = isTagged
    var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    let count = Self.count(number, &random)
    var events: [Event] = []
    for index in 0..<count {
      let stream: StreamName =
        Int.random(in: 0..<6, using: &random) == 0
        ? StreamName("born \(number)") : StreamName("stream \(Int.random(in: 0..<5, using: &random))")
      let size = number % 7 == 3 && index == 0 ? 6_000 : Int.random(in: 0..<200, using: &random)
      let payload = try Payload([
        "call": CBOR(number), "index": CBOR(index), "text": .text(String(repeating: "x", count: size)),
      ])
      let id = Bool.random(using: &random) ? Self.id(number, index) : nil
      events.append(
        Event(
          stream: stream,
          entry: NewEntry(
            type: "Type \(number / 20)", version: number % 3 == 0 ? SchemaVersion(1, 0, 0) : nil,
            payload: payload, id: id, metadata: number % 4 == 0 ? ["call": CBOR(number)] : [:],
            time: Timestamp(microseconds: Int64(number) * 1_000 + Int64(index)),
            tags: isTagged ? Self.tags(number, index) : [])))
    }
    self.events = events
  }

  /// How many events a call has. Most calls are small; some fill pages, some take overflow pages of their
  /// own, and some are about as large as a record of the journal.
  private static func count(_ number: Int, _ random: inout SeededGenerator) -> Int {
    if number % 23 == 11 { return Int.random(in: 60...160, using: &random) }
    return Int.random(in: number % 5 == 4 ? 3...14 : 1...2, using: &random)
  }

  private static func id(_ call: Int, _ index: Int) -> UUID {
    func byte(_ number: Int, _ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return UUID(
      uuid: (
        2, 0, 0, 0, 0, 0, 0x40, 0, 0x80, byte(call, 2), byte(call, 1), byte(call, 0), 0, 0, byte(index, 1),
        byte(index, 0)
      ))
  }

  /// The tags of an event: one of its call, one that many have, and one that few have.
  private static func tags(_ call: Int, _ index: Int) -> [EventTag] {
    [EventTag("call:\(call)"), EventTag("seat:\((call + index) % 3)"), EventTag("row:\(call * 7 % 20)")]
  }

  /// The tags of its events.
  var tags: Set<EventTag> { Set(events.flatMap(\.entry.tags)) }

  /// Stores the call's events in `log`.
  package func append(to log: EventLog) async throws(AnnalsError) {
    if isTagged {
      try await log.append(unless: [LogQuery.Item(tags: ["call:\(number)"])]) { appending in
        for event in events { appending.append([event.entry], to: event.stream) }
      }
      return
    }
    try await log.append { appending in
      for event in events { appending.append([event.entry], to: event.stream) }
    }
  }

  /// Why `found`, as the log has it, is not the event at `index`; `nil` if it is.
  func difference(of found: LogEntry, at index: Int) -> String? {
    let event = events[index]
    if found.content != .payload(event.entry.payload) { return "its payload" }
    if found.stream != event.stream { return "its stream" }
    if found.type != event.entry.type || found.version != event.entry.version { return "its type" }
    if found.id != event.entry.id { return "its id" }
    if found.metadata != event.entry.metadata { return "its metadata" }
    if found.time != event.entry.time { return "its time" }
    if found.tags != event.entry.tags.sorted() { return "its tags" }
    return found.isEndOfCall == (index == events.count - 1) ? nil : "the mark of the call's end"
  }
}
