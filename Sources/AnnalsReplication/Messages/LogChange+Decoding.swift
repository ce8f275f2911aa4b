internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension LogChange {
  /// Reads a change of a log from a message.
  init(_ reader: inout ByteReader) throws(FormatFailure) {
    let (author, reason) = (try reader.countedText(), try reader.countedText())
    let start = reader.offset
    var erasedStream: (name: StreamName, head: Revision)?
    let work: Work
    switch try reader.byte() {
    case 0: work = .limit(.close(StreamName(try reader.countedText())))
    case 1: work = .limit(.reopen(StreamName(try reader.countedText())))
    case 2:
      var wanted: [(stream: StreamName, before: Revision?)] = []
      for _ in 0..<(try reader.count(of: 2)) {
        let stream = StreamName(try reader.countedText())
        let number = try reader.number()
        wanted.append((stream, number == 0 ? nil : Revision(number - 1)))
      }
      work = .limit(.truncate(wanted))
    case 3:
      let ranges = try PositionRanges(&reader)
      // A range is two numbers, and an erasure of this library lists ten thousand positions at most.
      guard ranges.ranges.count < 1 << 20, Self.count(ranges) <= 1 << 20 else {
        throw FormatFailure(.length, at: start)
      }
      work = .erase(ranges.ranges.flatMap { $0.map { Position($0) } })
      if try reader.flag() {
        erasedStream = (StreamName(try reader.countedText()), Revision(try reader.number()))
      }
    case 4:
      let isRemoved = try reader.flag()
      let prefix = try reader.countedText()
      let (count, age) = (try reader.number(), try reader.number())
      guard age <= 1 << 40 else { throw FormatFailure(.value, at: start) }
      work = .retain(
        RetentionRule(
          streamPrefix: prefix, maximumCount: count == 0 ? nil : count,
          maximumAge: age == 0 ? nil : .seconds(Int64(age))), isRemoved: isRemoved)
    default: throw FormatFailure(.value, at: start)
    }
    self.init(work, author: author, reason: reason)
    self.erasedStream = erasedStream
    // The same check that a local call goes through.
    do throws(AnnalsError) { _ = try AppendRequest(self) } catch { throw FormatFailure(.value, at: start) }
  }

  /// Reads a change that retention rules ask for.
  init(retention reader: inout ByteReader) throws(FormatFailure) {
    let (author, reason) = (try reader.countedText(), try reader.countedText())
    let start = reader.offset
    var wanted = RetainedStreams(rules: reader.bytes.extracting(try reader.countedRange()).copied)
    for _ in 0..<(try reader.count(of: 3)) {
      let name = StreamName(try reader.countedText())
      let id = Position(try reader.number(in: FormatRange.positions))
      wanted.streams.append((name, id, Revision(try reader.number())))
    }
    self.init(.limit(.retain(wanted)), author: author, reason: reason)
    do throws(AnnalsError) { _ = try AppendRequest(self) } catch { throw FormatFailure(.value, at: start) }
  }

  private static func count(_ ranges: PositionRanges) -> UInt64 {
    ranges.ranges.reduce(0) { sum, range in
      let (count, isOver) = sum.addingReportingOverflow(range.upperBound - range.lowerBound + 1)
      return isOver ? .max : count
    }
  }
}
