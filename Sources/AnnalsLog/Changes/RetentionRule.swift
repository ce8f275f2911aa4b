public import AnnalsCoding

/// How long the events of some streams are kept.
///
/// A rule is stored in the log. `retain` and passes apply it: they truncate each stream whose name begins
/// with the prefix. Of several rules, the one with the longest prefix applies to a stream.
public struct RetentionRule: Hashable, Sendable {
  /// The first bytes of the names of the streams; all streams if it is empty.
  public var prefix: String
  /// The number of newest events that a stream keeps, from 1; `nil` for any number.
  public var maximumCount: UInt64?
  /// The time for which events are kept after their commit, in whole seconds from 1 to 10,000 years; `nil`
  /// for no limit.
  public var maximumAge: Duration?

  /// Creates a rule. Without a limit, it exempts streams from rules with a shorter prefix.
  public init(streamPrefix prefix: String, maximumCount: UInt64? = nil, maximumAge: Duration? = nil) {
    self.prefix = prefix
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }

  /// The longest age in seconds: 10,000 years, so that no time in microseconds overflows.
  static let longestAge: Int64 = 315_576_000_000

  /// Throws `wrongUse` or `invalidName` unless the rule can be stored.
  func check() throws(AnnalsError) {
    if !prefix.isEmpty { try NameRule.check(prefix, role: "stream") }
    if maximumCount == 0 || maximumCount.map({ $0 > FormatRange.maximum }) == true {
      throw AnnalsError(.wrongUse, "a stream keeps at least one event, so the maximum count is from 1")
    }
    if let age = maximumAge,
      age < .seconds(1) || age > .seconds(Self.longestAge) || age.components.attoseconds != 0
    {
      throw AnnalsError(
        .wrongUse, "the maximum age is in whole seconds, from 1 to \(Self.longestAge) (10,000 years)")
    }
  }

  /// Returns the rule that applies to a stream; `nil` if none does.
  package static func applying(to stream: StreamName, of rules: [RetentionRule]) -> RetentionRule? {
    rules.filter { stream.text.utf8.starts(with: $0.prefix.utf8) }.max {
      $0.prefix.utf8.count < $1.prefix.utf8.count
    }
  }
}

// The rules of a store.
extension EventLog {
  /// Returns the retention rules of the store.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  public func retention() throws(AnnalsError) -> [RetentionRule] {
    try read { (snapshot) throws(AnnalsError) in try snapshot.reader.retentionRules() }
  }

  /// Stores a retention rule, in place of one with the same prefix.
  ///
  /// It hides nothing by itself: `retain` and passes apply it. Ages count from the commit. In a store that an
  /// older library made, all of its events count as committed at the first commit that noted its time. The
  /// change is recorded in the log as a system entry.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - author: Who sets it; recorded as it is.
  ///   - reason: Why; recorded as it is.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a count of 0 or an age below a second, and as
  ///   ``close(_:by:because:)``.
  /// - Complexity: One durable commit.
  public func setRetention(
    _ rule: RetentionRule, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) {
    _ = try await change(LogChange(.retain(rule, isRemoved: false), author: author, reason: reason))
  }

  /// Removes the retention rule with a prefix. Hidden events stay hidden.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the rule.
  ///   - author: Who removes it; recorded as it is.
  ///   - reason: Why; recorded as it is.
  /// - Returns: Whether there was one.
  /// - Throws: As ``close(_:by:because:)``.
  @discardableResult
  public func removeRetention(
    streamPrefix prefix: String, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Bool {
    let rule = RetentionRule(streamPrefix: prefix)
    return try await change(LogChange(.retain(rule, isRemoved: true), author: author, reason: reason)) != nil
  }
}
