import Foundation

@testable import Annals

/// Cricket events between JSON lines and a store.
enum CricketLog {
  /// Appends the events of `lines`, given in chunks of bytes, to `log` in batches.
  static func append(_ chunks: some Sequence<[UInt8]>, to log: EventLog) async throws {
    var reader = LineReader()
    var batch = Batch()
    for chunk in chunks {
      reader.feed(chunk.span)
      while let line = try reader.next() {
        try batch.add(JSONReader.value(of: line.span, number: reader.number))
        if batch.count == 2_000 { try await batch.flush(to: log) }
      }
    }
    reader.end()
    while let line = try reader.next() {
      try batch.add(JSONReader.value(of: line.span, number: reader.number))
    }
    try await batch.flush(to: log)
  }

  /// The bytes of a file in chunks.
  static func chunks(of file: URL) throws -> some Sequence<[UInt8]> {
    let data = try Data(contentsOf: file, options: .alwaysMapped)
    return stride(from: 0, to: data.count, by: 1 << 16).lazy.map { start in
      Array(data[start..<min(start + 1 << 16, data.count)])
    }
  }

  /// The events of `store` as JSON lines, each handed to `body`.
  static func lines(
    of store: EventStore<CricketPlan>, _ body: (borrowing [UInt8]) throws -> Void
  ) throws {
    try store.read { (snapshot) throws in
      var entries = try snapshot.entries()
      var writer = JSONWriter()
      while let entry = try entries.next() {
        let (record, payload) = try store.reach.plan.encode(entry.event)
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

  /// Events on their way into a log, those of one stream together.
  private struct Batch {
    private var parts: [(stream: StreamName, entries: [NewEntry])] = []
    private(set) var count = 0

    mutating func add(_ line: CBOR) throws {
      guard let stream = line["stream"]?.text, let type = line["type"]?.text, let number = line["v"]?.integer,
        let time = line["ts"]?.text, let data = line["data"]
      else { throw Incomplete() }
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
