public import AnnalsCoding
public import AnnalsFormat

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
