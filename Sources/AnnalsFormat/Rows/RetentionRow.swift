package import AnnalsCoding

extension RetentionRule {
  /// The prefix of the names of the rows of `meta`. With the longest prefix of streams after it, it is still
  /// a valid key.
  package static let rowPrefix = "retain "

  /// The name of the rule's row.
  package var rowName: String { Self.rowPrefix + prefix }

  /// Several rules: the prefix of each (counted), and its row.
  package static func encoded(_ rules: [RetentionRule]) -> [UInt8] {
    var bytes: [UInt8] = []
    for rule in rules {
      bytes.append(counted: rule.prefix.utf8)
      bytes += rule.encoded()
    }
    return bytes
  }

  /// Maximum count and maximum age in seconds (varints, 0 for none).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: maximumCount ?? 0)
    bytes.append(varint: maximumAge.map { UInt64($0.components.seconds) } ?? 0)
    return bytes
  }

  /// Reads the numbers of the rule for `prefix`.
  package init(prefix: String, _ reader: inout ByteReader) throws(FormatFailure) {
    let (count, seconds) = (try reader.number(), try reader.number())
    guard seconds <= Self.longestAge else { throw FormatFailure(.value, at: 0) }
    self.init(
      streamPrefix: prefix, maximumCount: count == 0 ? nil : count,
      maximumAge: seconds == 0 ? nil : .seconds(Int64(seconds)))
  }
}
