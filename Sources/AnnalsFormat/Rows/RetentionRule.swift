package import AnnalsCoding

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
  package static let longestAge: Int64 = 315_576_000_000

  /// Throws `wrongUse` or `invalidName` unless the rule can be stored.
  package func check() throws(AnnalsError) {
    if !prefix.isEmpty { try NameRule.check(prefix, role: "stream") }
    if maximumCount == 0 || maximumCount.map({ $0 > FormatRange.maximum }) == true {
      throw AnnalsError(.wrongUse, "the maximum count is from 1 to \(FormatRange.maximum) events")
    }
    if let age = maximumAge,
      age < .seconds(1) || age > .seconds(Self.longestAge) || age.components.attoseconds != 0
    {
      throw AnnalsError(
        .wrongUse, "the maximum age is in whole seconds, from 1 to \(Self.longestAge) (10,000 years)")
    }
  }
}
