public import AnnalsCoding

/// The result of an erasure.
public struct ErasureReport: Hashable, Sendable {
  /// The number of entries that lost their contents.
  public let entries: UInt64
  /// The positions of the system entries that record the erasure: one for every few thousand entries.
  public let recorded: [Position]
  /// Whether the person to forget had keys, which are dropped now; `nil` for an erasure of events.
  ///
  /// `false` if the keys were dropped before, or if no stored event has the id, perhaps because it is written
  /// differently there.
  public let hadKeys: Bool?

  init(entries: UInt64, recorded: [Position], hadKeys: Bool? = nil) {
    self.entries = entries
    self.recorded = recorded
    self.hadKeys = hadKeys
  }
}
