internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// Turns entries of one generation into those of the next. Each thread of a pass has its own.
protocol EntryRewriter: AnyObject {
  /// Takes the kinds that the snapshot has which the next entries are read from.
  func enter(_ kinds: KindRegistry) throws(AnnalsError)

  /// Takes the probable stream of the entry after the next one that is rewritten.
  func expect(_ stream: Position)

  /// Adds to `run` what `entry` is in the next generation, without rows of kinds.
  ///
  /// - Throws: ``AnnalsError``: what a read of the entry throws, or `malformed` if an event has no encoding.
  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError)
}
