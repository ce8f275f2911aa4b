internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// Reads the calls to append of messages, in the form in which a transaction takes them.
///
/// Plain calls, which most are, come into one flat list. So a call takes no memory of its own but that of its
/// payload.
struct CallReader {
  /// A call of a message.
  struct Found {
    var commit: CommitID
    var call: SequencedCall
    /// Its bytes in the message, which the running hash takes: all of a message with one call.
    var bytes: Range<Int>
  }

  private let context: ApplyPlan.Context
  private var flat: PlainReader
  /// The record types of the last call that is not plain, and the rules of calls with them.
  private var ruled: (records: [AppendRequest.Record], rules: [any AppendRule])?

  init(_ context: ApplyPlan.Context) {
    self.context = context
    let rules = context.rules
    flat = PlainReader(PlainCalls(rules) { [MessageReaders($0)] + rules })
  }

  /// The plain calls so far.
  var plain: PlainCalls { flat.calls }

  /// Reads the calls of a message. Some of a shared one may be bytes that are no call: they are passed over
  /// alone.
  ///
  /// - Returns: `nil` if the bytes are no message of this cluster.
  mutating func calls(of kind: ClusterMessage.Kind, _ message: [UInt8], _ time: Int64) -> [Found]? {
    let mark = flat.mark
    var reader = MessageHead.body(of: message.span)
    do throws(FormatFailure) {
      guard try reader.uuid() == context.log else { return nil }
      if kind == .append { return [try call(&reader, message.indices, time)] }
      let ranges = try SharedCall.ranges(&reader)
      var calls: [Found] = []
      calls.reserveCapacity(ranges.count)
      for range in ranges {
        let mark = flat.mark
        // Offsets are those in the message.
        var reader = ByteReader(message.span.extracting(0..<range.upperBound), from: range.lowerBound)
        do throws(FormatFailure) { calls.append(try call(&reader, range, time)) } catch {
          flat.keep(to: mark)
        }
      }
      return calls
    } catch {
      flat.keep(to: mark)
      return nil
    }
  }

  private mutating func call(
    _ reader: inout ByteReader, _ bytes: Range<Int>, _ time: Int64
  ) throws(FormatFailure) -> Found {
    let commit = try CommitID(&reader)
    let index = flat.calls.count
    if flat.take(&reader, time, context.shapes) {
      try reader.finish()
      return Found(commit: commit, call: .plain(index), bytes: bytes)
    }
    var request = try AppendRequest(&reader, time, context.shapes)
    try reader.finish()
    request.sharedTime = time
    request.rules = rules(for: request.records)
    return Found(commit: commit, call: .whole(GroupCall(request, context.durability)), bytes: bytes)
  }

  /// Returns the rules of a call with these record types.
  private mutating func rules(for records: [AppendRequest.Record]) -> [any AppendRule] {
    if let ruled, ruled.records == records { return ruled.rules }
    let rules: [any AppendRule] = [MessageReaders(records)] + context.rules
    ruled = (records, rules)
    return rules
  }
}

/// The oldest readers of record types, as the writer of a message knows them: the plans of machines may
/// differ.
struct MessageReaders: AppendRule {
  private let records: [AppendRequest.Record]

  init(_ records: [AppendRequest.Record]) {
    self.records = records
  }

  func oldestReader(of name: ExactText, version: SchemaVersion?, shape: StoredShape?) -> SchemaVersion? {
    records.first { $0.type == name && $0.version == version && $0.shape == shape }?.oldestReader
  }
}
