internal import Annals

/// Events that are appended together, and the state of their streams after them.
struct ImportBatch {
  /// The number of events from which on a batch is full.
  private static let events = 4_000
  /// The number of bytes from which on a batch is full.
  private static let bytes = 8 << 20

  private var entries: [(stream: StreamName, entry: NewEntry)] = []
  private var expectations: [StreamName: Expectation] = [:]
  private var streams: [StreamName: ImportedStream] = [:]
  private var size = 0
  /// The number of events of each kind.
  var report = SwiftDataImportReport()

  /// Whether the batch should be appended before more is added.
  var isFull: Bool { entries.count >= Self.events || size >= Self.bytes }

  /// What the stream holds after the events of the batch; `nil` if the batch has none for it.
  subscript(stream: StreamName) -> ImportedStream? { streams[stream] }

  /// Adds an event to a stream.
  ///
  /// - Parameters:
  ///   - known: What the stream holds before the event.
  ///   - event: What the event says of the row.
  mutating func add(
    _ entry: NewEntry, to stream: StreamName, after known: ImportedStream, _ event: ImportedStream.Event
  ) {
    if expectations[stream] == nil {
      expectations[stream] = known.revision.map { .revision($0) } ?? .noStream
    }
    entries.append((stream, entry))
    size += entry.payload.bytes.count
    let revision = known.revision.map { Revision($0.rawValue + 1) } ?? 0
    streams[stream] = ImportedStream(revision: revision, content: .imported(event), stubs: known.stubs)
  }

  /// Appends the events in their order, all or none, and empties the batch.
  ///
  /// - Returns: The number of events of each kind that were stored: none if another import has stored them.
  /// - Throws: ``AnnalsError`` with code `conflict` if another program has appended to one of the streams.
  mutating func append(to log: EventLog) throws(AnnalsError) -> SwiftDataImportReport {
    guard !entries.isEmpty else { return SwiftDataImportReport() }
    let (entries, expectations, report) = (entries, expectations, report)
    let appended = try log.append { call in
      var checked: Set<StreamName> = []
      for (stream, entry) in entries {
        let expected = checked.insert(stream).inserted ? expectations[stream] ?? .any : .any
        call.append([entry], to: stream, expecting: expected)
      }
    }
    self = ImportBatch()
    return appended.wasRepeated ? SwiftDataImportReport() : report
  }
}
