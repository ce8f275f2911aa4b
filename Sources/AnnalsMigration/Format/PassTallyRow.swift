package import AnnalsCoding
internal import AnnalsStore

/// The value of the row `passTally` of `meta`: the counts of the pass that builds a generation, or has built
/// it.
package struct PassTallyRow: Sendable {
  /// The name of the row.
  package static let name = "passTally"
  /// The maximum number of different drops that are kept.
  private static let dropLimit = 1_000

  /// The changes of entries and events.
  package var changes = RunChanges()
  /// The number of entries that were moved to another stream.
  var moved: UInt64 = 0

  package init() {}

  /// Encodes rewritten, split, folded, moved (varints), the number of drops (varint), and for each its type
  /// and reason (counted texts) and count (varint). Then the undeclared fields that were lost.
  ///
  /// Beyond a thousand different drops, the rarest are one without a type.
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

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
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
