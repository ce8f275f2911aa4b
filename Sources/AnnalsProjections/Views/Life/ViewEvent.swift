internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// An event in the life of a view, reported to its ``ViewMachine``. Files are given by their numbers.
enum ViewEvent: Sendable {
  // The files.
  /// The files were chosen.
  case chosen(ViewSelection)
  /// A file for a build was created.
  case created(UInt64, reason: String?)
  /// A file for a build could not be created, for a reason that may pass.
  case buildFailed(AnnalsError)
  /// The pause after that is over.
  case buildDue
  /// This process has the right to fold a file, which has read to `position`.
  case began(UInt64, at: UInt64, converts: Bool)
  /// The rows of an earlier version were converted into a file.
  case converted(UInt64, to: UInt64)
  /// The program has opened the view again.
  case reopened
  /// The program wants a rebuild.
  case rebuild(reason: String)
  /// The files were checked, and the check failed with an error or succeeded.
  case checked(AnnalsError?)

  // The folding.
  /// The next page of the log has come.
  case page(UInt64, ViewPageFacts)
  /// The last page without entries for the view has waited long enough.
  case patienceOver(UInt64)
  /// A batch is stored.
  case stored(UInt64, ViewBatchFacts)
  /// The projection cannot fold the entry at a position. Nothing of its batch is stored.
  case poisoned(UInt64, at: UInt64, AnnalsError)
  /// A batch failed, and nothing of it is stored.
  case failed(UInt64, AnnalsError)
  /// The pause before the next attempt is over.
  case due(UInt64)
  /// Another process has folded the file up to a position.
  case overtaken(UInt64, at: UInt64)
  /// Another file has replaced this one.
  case succeeded(UInt64)
  /// The log cannot be read.
  case logFailed(UInt64, AnnalsError)

  // The switch.
  /// The built file is durable.
  case hardened(UInt64, ViewSwitchFacts)
  /// The built file and the one that reads use were compared. Nothing advances the latter here.
  case compared(UInt64, at: UInt64, served: UInt64?)
  /// The files have changed before the switch.
  case changed(UInt64)
  /// Reads use the built file.
  case replaced(UInt64)
  /// A step of the switch failed.
  case switchFailed(UInt64, AnnalsError)

  // The end.
  /// The view was removed.
  case removed
  /// The last store and view were released.
  case closed
}

/// The files of a view, as ``ViewChoice`` has chosen them.
struct ViewSelection: Sendable {
  /// The file that reads use; `nil` if there is none.
  var served: ViewMachine.Served?
  /// The file whose build has begun already; `nil` if there is none.
  var building: UInt64?
  /// Whether a new file has to be built.
  var buildsNew = false
  /// The reason for the build.
  var reason: String?
  /// The error for a view that a program with a newer plan has built; it is neither folded nor rebuilt here.
  var refusal: AnnalsError?
}

/// The facts about a page of the log that decide how a file takes it.
struct ViewPageFacts: Sendable {
  /// The position before its first entry.
  var start: UInt64
  /// The position of its last entry.
  var end: UInt64
  /// Whether the log ended there.
  var isLast = false
  /// The position of the entry after it that cannot be read; `nil` if there is none.
  var failure: UInt64?
  /// Whether it may wait to be stored: it has no entry for the view, and the file is durable and follows the
  /// end of the log.
  var mayWait = false
  /// Whether such pages have waited long enough.
  var isUrgent = false
}

/// The facts about a stored batch.
struct ViewBatchFacts: Sendable {
  /// The position up to which the file has read.
  var end: UInt64
  /// Whether the log ended there.
  var isLast = false
  /// The error of the next entry, which cannot be read; `nil` if there is none.
  var failure: AnnalsError?
}

/// The facts that decide whether a built file may replace the one that reads use.
struct ViewSwitchFacts: Sendable {
  /// The position up to which the built file has read.
  var position: UInt64
  /// The end of the log after the flush; `nil` if the file was durable before.
  var end: UInt64?
  /// The position up to which the file that reads use has read; `nil` if there is none, or it is damaged.
  var served: UInt64?
}

/// An action that a ``ViewMachine`` asks for.
enum ViewEffect: Sendable {
  /// Choose the files again.
  case choose
  /// Create a file, and fold it.
  case build(reason: String?)
  /// Fold a file, unless another process does.
  case begin(UInt64)
  /// Convert the rows of an earlier version into a file.
  case convert(UInt64)
  /// Read the log for a file after a position.
  case scan(UInt64, after: UInt64)
  /// Read no more of the log for a file.
  case pause(UInt64)
  /// Report ``ViewEvent/due(_:)`` later.
  case retry(UInt64, after: Duration)
  /// Report ``ViewEvent/buildDue`` later.
  case retryBuild(after: Duration)
  /// Fold the page, without the entries from a position on.
  case fold(UInt64, before: UInt64?)
  /// Keep the page, which has no entry for the view, and store its end later.
  case wait(UInt64)
  /// Store the end of the page that waits.
  case store(UInt64)
  /// Make a built file durable, and report how far the files are.
  case finish(UInt64)
  /// Report how far the files are, now that nothing here advances the one that reads use.
  case compare(UInt64)
  /// Have reads use a built file.
  case replace(UInt64)
  /// End the runner of a file, and store the end of a page that waits if asked.
  case end(UInt64, stores: Bool)
  /// Remove the files that a new one has replaced.
  case release(UInt64)
  /// Wake the observers, and the calls that wait.
  case announce
  /// Check the files soon.
  case tend
}
