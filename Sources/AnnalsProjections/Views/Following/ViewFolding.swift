internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// The reason that a batch was not stored.
enum FoldFailure: Error {
  /// The projection cannot fold the event at a position.
  case poison(position: UInt64, AnnalsError)
  /// The log cannot be read.
  case log(AnnalsError)
  /// Anything else: the disk, the file.
  case other(AnnalsError)
  /// The fold ends within an append call.
  case ended
}

/// The outcome of a batch.
enum FoldOutcome {
  /// It is stored up to a checkpoint; before the end of its last page if the memory has not sufficed.
  case stored(Checkpoint)
  /// The view was folded elsewhere: it is at this checkpoint, and nothing was stored.
  case elsewhere(Checkpoint?)
  /// Another file has replaced this one, and nothing was stored.
  case succeeded
}

/// Places of the log, for a batch that ends within a page.
struct LogPlaces: Sendable {
  /// Returns the checkpoint after the entry at a position.
  var checkpoint: @Sendable (UInt64) throws(AnnalsError) -> Checkpoint = { (position) throws(AnnalsError) in
    throw AnnalsError(missing: Position(position))
  }
  /// Returns the position at which the append call of an entry ends.
  var endOfCall: @Sendable (UInt64) throws(AnnalsError) -> UInt64 = { $0 }
}

/// Folds entries into a view's file, for any projection. Used by one thread.
class ViewFolding<Event: SchemaEvent> {
  let file: ViewFile

  init(_ file: ViewFile) {
    self.file = file
  }

  /// Folds a page and those that `next` returns, in one transaction with the checkpoint after them.
  ///
  /// - Parameters:
  ///   - first: The first page, whose entries up to `start` are skipped.
  ///   - start: The checkpoint up to which the view has read.
  ///   - durability: When the batch is on disk; `.none` while no reads use the file, so that a batch may end
  ///     within an append call.
  ///   - next: Returns the next page, given the number of staged bytes; `nil` to end the batch.
  func fold(
    _ first: ViewPage<Event>, from start: Checkpoint?, _ durability: Durability,
    next: (Int) throws(FoldFailure) -> ViewPage<Event>?
  ) throws(FoldFailure) -> FoldOutcome {
    .elsewhere(start)
  }

  /// Begins with the rows of an earlier version.
  ///
  /// - Returns: The checkpoint up to which those have read.
  func carry(_ seed: RowSeed, _ isOver: () -> Bool) throws(AnnalsError) -> Checkpoint? { nil }

  /// Whether it keeps rows in memory.
  var keepsRows: Bool { false }

  /// Frees the memory of the rows that it keeps.
  func free() {}
}
