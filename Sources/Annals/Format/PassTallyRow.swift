internal import AnnalsCoding

/// The value of the row `passTally` of `meta`: what the pass that builds a generation, or has built it, has
/// done with entries.
struct PassTallyRow: Sendable {
  /// The name of the row.
  static let name = "passTally"
  /// The most different drops that are kept.
  private static let dropLimit = 1_000

  /// What has become of entries and events.
  var changes = RunChanges()
  /// How many entries went to another stream.
  var moved: UInt64 = 0

  init() {}

  /// Rewritten, split, folded, moved (varints), how many drops there are (varint), and of each type and
  /// reason (counted texts) and how many (varint). Then the fields that were given up.
  ///
  /// Beyond a thousand different drops the rarest are one without a type.
  func encoded() -> [UInt8] {
    var drops = changes.drops.map { (drop: $0.key, count: $0.value) }
      .sorted {
        $0.count == $1.count
          ? (ExactText($0.drop.type), ExactText($0.drop.reason))
            < (ExactText($1.drop.type), ExactText($1.drop.reason))
          : $0.count > $1.count
      }
    if drops.count > Self.dropLimit {
      let rest = drops[(Self.dropLimit - 1)...].reduce(0) { $0 &+ $1.count }
      drops.removeSubrange((Self.dropLimit - 1)...)
      drops.append((RunChanges.Drop(type: "", reason: "other reasons"), rest))
    }
    var bytes: [UInt8] = []
    for number in [changes.rewritten, changes.split, changes.folded, moved, UInt64(drops.count)] {
      bytes.append(varint: number)
    }
    for (drop, count) in drops {
      bytes.append(counted: drop.type.utf8)
      bytes.append(counted: drop.reason.utf8)
      bytes.append(varint: count)
    }
    bytes += changes.removed.encoded(areDeclared: false)
    return bytes
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    changes.rewritten = try reader.number()
    changes.split = try reader.number()
    changes.folded = try reader.number()
    moved = try reader.number()
    let count = try reader.number(in: 0...UInt64(Self.dropLimit))
    for _ in 0..<count {
      let drop = RunChanges.Drop(type: try reader.countedText(), reason: try reader.countedText())
      changes.drops[drop, default: 0] &+= try reader.number()
    }
    try changes.removed.add(&reader, areDeclared: false)
    try reader.finish()
  }
}
