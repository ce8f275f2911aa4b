import Foundation

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsStore

/// Cricket events between JSON lines and a store.
enum CricketLog {
  /// Appends events from lines, given in chunks of bytes, to `log` in batches, as an import does. Takes the
  /// events of one `format`, or of all if it is `nil`.
  static func append(_ chunks: some Sequence<[UInt8]>, of format: Int? = nil, to log: EventLog) async throws {
    var reader = LineReader()
    var batch = Batch()
    for chunk in chunks {
      reader.feed(chunk.span)
      while let line = try reader.next() {
        try batch.add(JSONReader.value(of: line.span, number: reader.number), of: format)
        if batch.count == 2_000 { try await batch.flush(to: log) }
      }
    }
    reader.end()
    while let line = try reader.next() {
      try batch.add(JSONReader.value(of: line.span, number: reader.number), of: format)
    }
    try await batch.flush(to: log)
  }

  /// Appends the events of `source` from `first` on to `target` as events of the plan's current schema.
  static func copy<Plan>(
    _ source: EventStore<Plan>, from first: Position? = nil, to target: EventStore<Plan>
  ) async throws {
    var next = first
    while true {
      // A batch is read first and appended afterwards: a read lends a snapshot and cannot wait.
      var parts: [(stream: StreamName, events: [NewEvent<EventStore<Plan>.Event>])] = []
      var last: Position?
      try source.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(from: next, limit: 2_000)
        while let entry = try entries.next() {
          let event = NewEvent(entry.event, time: entry.time)
          if parts.last?.stream == entry.stream {
            parts[parts.endIndex - 1].events.append(event)
          } else {
            parts.append((entry.stream, [event]))
          }
          last = entry.position
        }
      }
      guard let last else { return }
      let batch = parts
      try await target.append { call in
        for part in batch { call.append(part.events, to: part.stream) }
      }
      next = Position(last.rawValue + 1)
    }
  }

  /// The bytes of a file in chunks.
  static func chunks(of file: URL) throws -> some Sequence<[UInt8]> {
    let data = try Data(contentsOf: file, options: .alwaysMapped)
    return stride(from: 0, to: data.count, by: 1 << 16).lazy.map { start in
      Array(data[start..<min(start + 1 << 16, data.count)])
    }
  }

  /// The events of `store` as JSON lines, each handed to `body`.
  static func lines<Plan>(
    of store: EventStore<Plan>, _ body: (borrowing [UInt8]) throws -> Void
  ) throws {
    try store.read { (snapshot) throws in
      var entries = try snapshot.entries()
      var writer = JSONWriter()
      while let entry = try entries.next() {
        var (record, payload) = try store.reach.plan.encode(entry.event)
        if let names = record.shape?.names {
          let shaped = payload
          payload = []
          try names.write(shaped.span, to: &payload)
        }
        writer.removeAll()
        writer.raw("{\"stream\":")
        writer.text(entry.stream.text)
        writer.raw(",\"n\":")
        writer.unsigned(entry.revision.rawValue)
        writer.raw(",\"type\":")
        writer.text(record.type.text)
        writer.raw(",\"v\":2,\"data\":")
        try writer.payload(payload.span)
        writer.raw("}\n")
        try body(writer.bytes)
      }
    }
  }

  /// Events to append to a log, grouped by stream.
  private struct Batch {
    private var parts: [(stream: StreamName, entries: [NewEntry])] = []
    private(set) var count = 0

    mutating func add(_ line: CBOR, of format: Int?) throws {
      guard let stream = line["stream"]?.text, let type = line["type"]?.text, let number = line["v"]?.integer,
        let time = line["ts"]?.text, let data = line["data"]
      else { throw Incomplete() }
      guard format == nil || format == number else { return }
      let entry = NewEntry(
        type: type, version: SchemaVersion(UInt32(number), 0, 0), payload: try Payload(data),
        time: try Timestamp(parsing: time))
      if parts.last?.stream == StreamName(stream) {
        parts[parts.endIndex - 1].entries.append(entry)
      } else {
        parts.append((StreamName(stream), [entry]))
      }
      count += 1
    }

    mutating func flush(to log: EventLog) async throws {
      let parts = self.parts
      self = Batch()
      try await log.append { call in
        for part in parts { call.append(part.entries, to: part.stream) }
      }
    }
  }

  /// A line is no event of this format.
  struct Incomplete: Error {}
}
