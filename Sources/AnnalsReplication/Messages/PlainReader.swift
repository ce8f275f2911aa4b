internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// Reads plain calls from messages into one flat list.
struct PlainReader {
  /// The most bytes of a plain call. Larger ones gain nothing.
  private static let limit = 1 << 16

  /// The calls so far.
  private(set) var calls: PlainCalls
  /// The record types of the last call, and their numbers in ``calls``.
  private var last: (list: RecordList, numbers: [Int])?

  init(_ calls: PlainCalls) {
    self.calls = calls
  }

  /// Adds the call at which the reader is, if it is a plain one.
  ///
  /// - Returns: Whether it is. Otherwise nothing has changed: the bytes may be another call, or none.
  mutating func take(_ reader: inout ByteReader, _ time: Int64, _ shapes: ShapeMemory) -> Bool {
    guard reader.remaining <= Self.limit else { return false }
    let (start, mark) = (reader.offset, mark)
    if (try? read(&reader, time, shapes)) == true { return true }
    reader.offset = start
    keep(to: mark)
    return false
  }

  /// The number of calls and bytes so far.
  var mark: (count: Int, bytes: Int) { (calls.count, calls.bytes) }

  /// Removes the calls since a mark.
  mutating func keep(to mark: (count: Int, bytes: Int)) { calls.keep(first: mark.count, bytes: mark.bytes) }

  /// Reads a call, with the checks of any other.
  ///
  /// - Returns: `false` for a call that is not plain.
  private mutating func read(
    _ reader: inout ByteReader, _ time: Int64, _ shapes: ShapeMemory
  ) throws -> Bool {
    guard let numbers = try numbers(&reader, shapes), try reader.count(of: 3) == 1 else { return false }
    let part = try reader.part()
    guard part.expectation == .any, part.count > 0, part.count <= reader.remaining else { return false }
    try calls.begin(part.stream, at: time)
    for _ in 0..<part.count {
      let start = reader.offset
      let (record, flags) = try reader.eventHead(of: numbers.count)
      guard flags & (ItemFlag.id | ItemFlag.tags) == 0 else { return false }
      let metadata = try reader.metadata(flags, of: start)
      let own = try reader.time(flags, of: start)
      try calls.add(
        numbers[record], try reader.payload(of: start), metadata: metadata, time: own ?? time)
    }
    return try reader.count(of: 2) == 0
  }

  /// Reads the record types of a call.
  ///
  /// - Returns: Their numbers; `nil` if one has a name that no event may have.
  private mutating func numbers(
    _ reader: inout ByteReader, _ shapes: ShapeMemory
  ) throws(FormatFailure) -> [Int]? {
    // Neighbouring calls mostly have the same bytes.
    if let last, reader.skip(last.list.bytes) { return last.numbers }
    let list = try reader.records(shapes)
    guard list.isNamed else { return nil }
    let numbers = list.records.map { calls.number(of: $0) }
    last = (list, numbers)
    return numbers
  }
}

extension ByteReader {
  /// Skips bytes if they are the next ones.
  mutating func skip(_ wanted: [UInt8]) -> Bool {
    guard wanted.count <= remaining, bytes.extracting(offset..<offset + wanted.count).isEqual(to: wanted.span)
    else { return false }
    offset += wanted.count
    return true
  }
}
