package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsShapes

/// Calls of a shared log that append to one stream each and ask nothing of the log, in one flat list.
///
/// They expect nothing, and their events have no ids, tags or attachments. So only their rules, their record
/// types and closed streams can keep them out, and many of them are decided and stored together, as if they
/// were one call. Each still has a verdict of its own.
package struct PlainCalls: Sendable {
  /// The events of all calls. The part at an index is the call at that index.
  package private(set) var events = AppendRequest(time: 0)
  /// The time that the shared log gave each call, in microseconds since 1970.
  package private(set) var times: [Int64] = []
  /// Returns the rules of a call with these record types, for a call that is decided alone.
  private let rules: @Sendable ([AppendRequest.Record]) -> [any AppendRule]

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - shared: The rules that all calls go through.
  ///   - rules: Returns all rules of a call with some record types.
  package init(
    _ shared: [any AppendRule], _ rules: @escaping @Sendable ([AppendRequest.Record]) -> [any AppendRule]
  ) {
    self.rules = rules
    events.rules = shared
  }

  /// The number of calls.
  package var count: Int { times.count }

  /// The approximate number of bytes that the calls add to a transaction.
  package var bytes: Int { events.bytes }

  /// Begins a call, after checking the name of its stream.
  package mutating func begin(_ stream: StreamName, at time: Int64) throws(AnnalsError) {
    try events.add(checking: stream, expecting: .any)
    times.append(time)
  }

  /// Returns the number of a record type, whose name has been checked.
  package mutating func number(of record: AppendRequest.Record) -> Int { events.index(of: record) }

  /// Adds an event to the last call, after checking its sizes.
  ///
  /// - Parameters:
  ///   - record: The number of its record type.
  ///   - time: Its time, in microseconds since 1970.
  package mutating func add(
    _ record: Int, _ payload: [UInt8], metadata: [UInt8], time: Int64
  ) throws(AnnalsError) {
    try events.checkSizes(
      payload.count, metadata.count, maximumPayload: AppendLimit.payload, events.records[record].type.text)
    events.add(record: record, payload, id: nil, metadata: metadata, time: time)
  }

  /// Removes all calls but the first ones. Their record types stay known.
  ///
  /// - Parameter bytes: The value of ``bytes`` when the last of these was complete.
  package mutating func keep(first count: Int, bytes: Int) {
    guard count < times.count || count < events.parts.count else { return }
    times.removeSubrange(min(count, times.count)...)
    events.keep(firstParts: count, bytes: bytes)
  }

  /// Returns a call as one of its own.
  func call(at index: Int) -> AppendRequest {
    var call = AppendRequest(time: times[index])
    call.add(events.parts[index].stream, expecting: .any)
    for item in events.items[events.parts[index].items] {
      let record = call.index(of: events.records[item.record])
      events.withBytes(of: item) { payload, metadata in
        call.add(record: record, payload.copied, id: nil, metadata: metadata.copied, time: item.time)
      }
    }
    call.rules = rules(call.records)
    call.sharedTime = times[index]
    return call
  }
}
