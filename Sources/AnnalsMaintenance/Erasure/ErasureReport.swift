public import AnnalsCoding

/// The result of an erasure.
public struct ErasureReport: Hashable, Sendable {
  /// The number of entries that lost their contents.
  public let entries: UInt64
  /// The positions of the system entries that record the erasure: one for some thousand entries.
  public let recorded: [Position]
}
