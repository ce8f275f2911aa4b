package import Annals

/// A call of a ``TagWriter``: some events of one stream, on the condition that no event after a position
/// matches a query. Its text is in the journal and in each of its events.
package struct TaggedCall: Sendable {
  /// An event of the call.
  package struct Event: Sendable {
    package var type: String
    package var tags: Set<EventTag>
  }

  /// The key of the metadata in which an event says what its writer asserted.
  package static let key = "call"

  package let writer: Int
  package let number: Int
  package var stream: String
  package var expectation: Expectation
  package var query: LogQuery
  /// The position that the writer knew; `nil` if no event at all may match.
  package var after: UInt64?
  package var events: [Event]

  package init(
    writer: Int, number: Int, stream: String, expectation: Expectation, query: LogQuery, after: UInt64?,
    events: [Event]
  ) {
    self.writer = writer
    self.number = number
    self.stream = stream
    self.expectation = expectation
    self.query = query
    self.after = after
    self.events = events
  }

  private var ids: WriterCall { WriterCall(writer: writer, number: number, parts: []) }

  /// Whether the id of an entry is that of the event `index`.
  package func hasID(of entry: LogEntry, at index: Int) -> Bool { entry.id == ids.id(index) }

  /// The events as the log takes them.
  package func entries() throws -> [NewEntry] {
    try events.enumerated().map { index, event in
      NewEntry(
        type: event.type, version: nil, payload: try Payload(["of": .text("\(writer).\(number).\(index)")]),
        id: ids.id(index), metadata: [Self.key: .text(text)], tags: Array(event.tags))
    }
  }
}

extension TaggedCall {
  /// The call as one word: stream, count and expectation; the query; the position; the events.
  package var text: String {
    let part = WriterCall.Part(stream, count: events.count, expectation).text
    let items = query.items.map { "\(Self.list($0.types))~\(Self.list($0.tags.map(\.text)))" }
    let lines = events.map { "\($0.type)~\(Self.list($0.tags.map(\.text)))" }
    return [
      part, items.joined(separator: "|"), after.map(String.init) ?? "-", lines.joined(separator: "|"),
    ].joined(separator: ";")
  }

  /// The call that `text` describes.
  package init?(writer: Int, number: Int, _ text: String) {
    let fields = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 4, let part = WriterCall.Part(fields[0]) else { return nil }
    let items = fields[1].split(separator: "|").map { Self.pair($0) }
    let lines = fields[3].split(separator: "|").map { Self.pair($0) }
    guard lines.count == part.count, fields[2] == "-" || UInt64(fields[2]) != nil else { return nil }
    self.init(
      writer: writer, number: number, stream: part.stream, expectation: part.expectation,
      query: LogQuery(items.map { LogQuery.Item(types: $0.0, tags: $0.1) }), after: UInt64(fields[2]),
      events: lines.map { Event(type: $0.0.first ?? "", tags: $0.1) })
  }

  private static func list(_ words: some Sequence<String>) -> String {
    words.sorted().joined(separator: ",")
  }

  private static func pair(_ text: Substring) -> ([String], Set<EventTag>) {
    let halves = text.split(separator: "~", omittingEmptySubsequences: false)
      .map { $0.split(separator: ",").map(String.init) }
    return (halves.first ?? [], Set((halves.count > 1 ? halves[1] : []).map { EventTag($0) }))
  }
}
