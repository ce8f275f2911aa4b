public import AnnalsCoding
public import AnnalsFormat
public import AnnalsLog

extension EventLog {
  /// Returns the retention rules of the store.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  public func retention() throws(AnnalsError) -> [RetentionRule] {
    try read { (snapshot) throws(AnnalsError) in try snapshot.reader.retentionRules() }
  }

  /// Stores a retention rule, replacing any rule with the same prefix.
  ///
  /// It hides nothing by itself: `retain` and passes apply it. Ages count from the commit. In a store that an
  /// older library made, that library's events count as committed at the first commit that recorded its time.
  /// The change is recorded in the log as a system entry.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - author: Who sets it; recorded verbatim.
  ///   - reason: Why; recorded verbatim.
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
  ///   - author: Who removes it; recorded verbatim.
  ///   - reason: Why; recorded verbatim.
  /// - Returns: Whether there was such a rule.
  /// - Throws: As ``close(_:by:because:)``.
  @discardableResult
  public func removeRetention(
    streamPrefix prefix: String, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Bool {
    let rule = RetentionRule(streamPrefix: prefix)
    return try await change(LogChange(.retain(rule, isRemoved: true), author: author, reason: reason)) != nil
  }
}
