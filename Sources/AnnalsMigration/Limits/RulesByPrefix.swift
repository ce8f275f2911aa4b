internal import AnnalsCoding
internal import AnnalsFormat

/// Retention rules by their prefixes, because a store may have a rule for each of its streams.
struct RulesByPrefix {
  private let rules: [ArraySlice<UInt8>: RetentionRule]
  /// The lengths of the prefixes, longest first.
  private let lengths: [Int]

  init(_ rules: [RetentionRule]) {
    var byPrefix: [ArraySlice<UInt8>: RetentionRule] = [:]
    for rule in rules { byPrefix[Array(rule.prefix.utf8)[...]] = rule }
    self.rules = byPrefix
    lengths = Set(byPrefix.keys.map(\.count)).sorted(by: >)
  }

  /// The rule with the longest prefix that a stream's name begins with; `nil` if none does.
  ///
  /// - Complexity: A look-up for each length of a prefix.
  func rule(of stream: StreamName) -> RetentionRule? {
    let name = Array(stream.text.utf8)
    for length in lengths where length <= name.count {
      if let rule = rules[name[..<length]] { return rule }
    }
    return nil
  }
}
