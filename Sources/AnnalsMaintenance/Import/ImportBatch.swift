internal import AnnalsCoding
internal import AnnalsLog

/// Lines of an import on their way into the log, as many as go into one append call.
struct ImportBatch: Sendable {
  /// The number of lines that an append call takes at most. Each costs one flush: with 1,000 lines of 270
  /// bytes a busy disk was waited for three times as long as with 4,000, and beyond that the size decides.
  static let lineLimit = 4_000
  /// From how many bytes on an append call takes no further line, so that little is in memory at a time.
  static let sizeLimit = 4 << 20

  /// Neighbouring lines of one stream.
  private struct Part: Sendable {
    var stream: StreamName
    var events: [AppendRequest.Event]
    /// The number of each event's line.
    var numbers: [Int]
  }

  private var parts: [Part] = []
  /// The number of lines.
  private(set) var count = 0
  /// The number of the first line.
  private(set) var firstLine = 0
  /// The number of the last line.
  private(set) var lastLine = 0
  /// Whether any line has an id.
  private(set) var hasIDs = false
  private var size = 0

  /// Whether no further line should be added.
  var isFull: Bool { count >= Self.lineLimit || size >= Self.sizeLimit }

  /// Adds the next line, the input's `number`th.
  mutating func add(_ line: EntryLine, number: Int) {
    if count == 0 { firstLine = number }
    lastLine = number
    count += 1
    size += line.size
    if line.event.id != nil { hasIDs = true }
    if let last = parts.indices.last, parts[last].stream == line.stream {
      parts[last].events.append(line.event)
      parts[last].numbers.append(number)
    } else {
      parts.append(Part(stream: line.stream, events: [line.event], numbers: [number]))
    }
  }

  /// The attachments that the lines refer to.
  var attachments: Set<ContentHash> { Set(parts.flatMap(\.events).flatMap(\.attachments)) }

  /// The lines as one append call.
  ///
  /// - Parameter sight: The state of the log in which their ids were not there.
  func request(time: Timestamp, since sight: LogSight) -> AppendRequest {
    var request = AppendRequest(time: time.microseconds)
    request.sight = sight
    for part in parts {
      request.add(part.stream, expecting: .any)
      for event in part.events { request.add(event) }
    }
    return request
  }

  /// Removes the events for which `isThere` returns `true`.
  ///
  /// - Parameter isThere: Is called with each event, its stream and the number of its line.
  /// - Returns: The number of those that are.
  mutating func remove(
    where isThere: (AppendRequest.Event, StreamName, Int) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) -> UInt64 {
    let before = count
    var kept: [Part] = []
    count = 0
    for part in parts {
      var left = Part(stream: part.stream, events: [], numbers: [])
      for (event, number) in zip(part.events, part.numbers) where try !isThere(event, part.stream, number) {
        left.events.append(event)
        left.numbers.append(number)
      }
      if left.events.isEmpty { continue }
      count += left.events.count
      kept.append(left)
    }
    parts = kept
    return UInt64(before - count)
  }
}
