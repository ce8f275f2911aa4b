public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import LMDB

/// The streams and events that retention rules hide.
public struct RetentionReport: Hashable, Sendable {
  /// The number of streams that are truncated.
  public internal(set) var streams: UInt64 = 0
  /// The number of events that are hidden by the truncation.
  public internal(set) var events: UInt64 = 0
}

extension EventLog {
  /// Applies the retention rules of the store: truncates each stream to the events that its rule keeps.
  ///
  /// Rules that somebody changes meanwhile count from then on: no later commit hides an event that they keep.
  ///
  /// Afterwards, hidden events are not read from their streams. ``compact(_:)`` and migration passes apply
  /// the rules too, and turn hidden events into stubs.
  ///
  /// - Parameters:
  ///   - isRehearsal: Whether the events are only counted.
  ///   - now: The time to which ages refer.
  /// - Returns: The number of streams and events that are hidden, or would be.
  /// - Throws: ``AnnalsError``: as ``truncate(_:before:by:because:)``.
  /// - Complexity: O(rules), O(streams with a rule · log of their lengths), and a durable commit for some
  ///   thousand streams.
  @discardableResult
  public func retain(isRehearsal: Bool = false, now: Timestamp = .now) throws(AnnalsError) -> RetentionReport
  {
    // No commit has a time before 1970.
    try Retention(log: self, now: max(now.microseconds, 0)).run(isRehearsal: isRehearsal)
  }
}

/// Applies retention rules.
struct Retention {
  /// The number of streams that are looked at in one snapshot, and truncated in one transaction.
  private static let batch = 5_000

  let log: EventLog
  /// The time to which ages refer, in microseconds since 1970.
  let now: Int64
  /// Is called after streams were looked at, before they are truncated.
  var beforeCommit: () throws(AnnalsError) -> Void = {}

  func run(isRehearsal: Bool) throws(AnnalsError) -> RetentionReport {
    var report = RetentionReport()
    let rules = try log.retention()
    guard !rules.isEmpty else { return report }
    var place: Place? = Place(rules)
    while let start = place {
      let found = try batch(from: start)
      if !isRehearsal, try !hide(found.wanted) { continue }
      place = found.next
      report.streams += UInt64(found.wanted.streams.count)
      report.events += found.events
    }
    return report
  }

  /// Truncates streams.
  ///
  /// - Returns: Whether it is done; `false` if somebody has changed the rules meanwhile, or ended one of the
  ///   streams.
  private func hide(_ wanted: RetainedStreams) throws(AnnalsError) -> Bool {
    if wanted.streams.isEmpty { return true }
    try beforeCommit()
    let change = LogChange(
      .limit(.retain(wanted)), author: "retain", reason: "the retention rules of the store")
    do throws(AnnalsError) { _ = try log.append(blocking: AppendRequest(change)) } catch {
      guard error.code == .conflict || error.code == .noSuchStream else { throw error }
      return false
    }
    return true
  }

  /// How far the work is.
  private struct Place {
    /// The prefixes whose streams are still to be looked at.
    var prefixes: ArraySlice<String>
    /// The last stream of the first prefix that was looked at.
    var previous: StreamName?

    /// - Parameter rules: The rules in the order of their prefixes.
    init(_ rules: [RetentionRule]) {
      var prefixes: [String] = []
      // One prefix of another would list streams twice. It comes directly before those that begin with it.
      for rule in rules where prefixes.last.map({ !rule.prefix.utf8.starts(with: $0.utf8) }) ?? true {
        prefixes.append(rule.prefix)
      }
      self.prefixes = prefixes[...]
    }
  }

  /// What is to be hidden of the next streams.
  private struct Batch {
    var wanted: RetainedStreams
    var events: UInt64 = 0
    /// Where the next batch begins; `nil` at the end.
    var next: Place?
  }

  private func batch(from start: Place) throws(AnnalsError) -> Batch {
    try log.read { (snapshot) throws(AnnalsError) in
      // Somebody may have exempted streams since the batch before.
      let stored = try snapshot.reader.retentionRules()
      let rules = RulesByPrefix(stored)
      var batch = Batch(wanted: RetainedStreams(rules: RetentionRule.encoded(stored)))
      var ends: [Duration: UInt64] = [:]
      var place = start
      var rest = Self.batch
      while let prefix = place.prefixes.first {
        var streams = try snapshot.streams(prefix: prefix, after: place.previous)
        while rest > 0, let stream = try streams.next() {
          rest -= 1
          place.previous = stream.name
          guard stream.name != SystemEntry.stream, let rule = rules.rule(of: stream.name),
            let head = try snapshot.head(of: stream.name)
          else { continue }
          let limit = try snapshot.limit(of: head.id)
          let oldest = try oldest(of: head, rule, &ends, snapshot.reader)
          guard oldest > limit.oldest.rawValue else { continue }
          batch.wanted.streams.append((stream.name, head.id, Revision(oldest)))
          batch.events += oldest - limit.oldest.rawValue
        }
        if rest == 0 {
          batch.next = place
          return batch
        }
        place.prefixes.removeFirst()
        place.previous = nil
      }
      return batch
    }
  }

  /// The oldest revision that a rule keeps of a stream.
  ///
  /// - Parameter ends: For each age, the position before which all entries are older.
  private func oldest(
    of head: Head, _ rule: RetentionRule, _ ends: inout [Duration: UInt64], _ reader: StoreReader
  ) throws(AnnalsError) -> UInt64 {
    let next = head.revision.rawValue + 1
    var oldest: UInt64 = 0
    if let count = rule.maximumCount { oldest = next - min(next, count) }
    if let age = rule.maximumAge {
      let end: UInt64
      if let known = ends[age] {
        end = known
      } else {
        let limit = now - age.components.seconds * 1_000_000
        end = try reader.end(begunBefore: limit)
        ends[age] = end
      }
      oldest = max(oldest, try firstRevision(of: head, from: end, reader))
    }
    return oldest
  }

  /// The first revision of a stream at `position` or after it; the one after the head if there is none.
  ///
  /// - Complexity: O(log² of the stream's length).
  private func firstRevision(
    of head: Head, from position: UInt64, _ reader: StoreReader
  ) throws(AnnalsError) -> UInt64 {
    if head.id.rawValue >= position { return 0 }
    if head.last.rawValue < position { return head.revision.rawValue + 1 }
    var (low, high) = (UInt64(0), head.revision.rawValue)
    while low < high {
      let middle = low + (high - low) / 2
      var touched = 0
      let found = try reader.position(of: Revision(middle), from: head, touched: &touched)
      if found.rawValue < position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
