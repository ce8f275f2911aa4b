package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog

/// How far a machine has applied the log of its cluster: the row `cluster` of `meta`.
package struct MemberState: Equatable, Sendable {
  /// The name of the row.
  static let name = ClusterRow.prefix

  /// The sequence of the last message that is applied.
  package var sequence: UInt64
  /// The largest time of a message so far, in microseconds since 1970, so that times never go back.
  package var time: Int64 = 0
  /// The number of accepted commits.
  package var commits: UInt64 = 0
  /// Their running hash.
  package var chain = CommitChain()
  /// The inline projections that are in force in the whole cluster.
  package var rules: [RuleVersion]

  /// Sequence, time, commits (varints), hash (16 bytes), then count of the projections, and the name
  /// (counted) and version (varint) of each.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: sequence)
    bytes.append(varint: UInt64(max(time, 0)))
    bytes.append(varint: commits)
    bytes.append(littleEndian: chain.low)
    bytes.append(littleEndian: chain.high)
    bytes.append(varint: UInt64(rules.count))
    for rule in rules {
      bytes.append(counted: rule.name.utf8)
      bytes.append(varint: rule.version)
    }
    return bytes
  }

  init(sequence: UInt64, rules: [RuleVersion]) {
    self.sequence = sequence
    self.rules = rules
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    sequence = try reader.number()
    time = Int64(try reader.number())
    commits = try reader.number()
    chain = CommitChain(
      low: try reader.littleEndian(UInt64.self), high: try reader.littleEndian(UInt64.self))
    rules = []
    for _ in 0..<(try reader.number(in: 0...65_536)) {
      rules.append(RuleVersion(name: try reader.countedText(), version: try reader.number()))
    }
    try reader.finish()
  }
}

extension StoreReader {
  /// Returns how far the store has applied the log of its cluster; `nil` for a store of no cluster.
  package func memberState() throws(AnnalsError) -> MemberState? {
    try row(MemberState.name, in: tables.meta) { (bytes) throws(FormatFailure) in try MemberState(bytes) }
  }
}
