public import AnnalsCoding
public import AnnalsLog
public import AnnalsProjections
internal import AnnalsSchema
public import AnnalsStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventStore {
  /// Opens the store at `url`, or creates it there, without blocking the calling task, and reports long work.
  ///
  /// ```swift
  /// let store = try await EventStore.open(at: url, plan: WorkoutPlan.self, options: options) { progress in
  ///   print("\(progress.step): \(progress.done) of \(progress.total)")
  /// }
  /// ```
  ///
  /// It does the same as ``init(at:plan:options:inline:)``, but on a thread of its own. An open reads the log
  /// only if it activates the plan, folds inline projections, or runs a pass before it returns. Otherwise
  /// nothing is reported.
  ///
  /// Cancelling the task ends the open between two batches, with code `cancelled`. It leaves the store as an
  /// interrupted open does: no event is changed. The next open continues a pass, and the fold of an inline
  /// projection. Contexts and adoptions are kept as a whole or not at all, so they are computed again.
  ///
  /// - Parameters:
  ///   - url: The store's directory, by convention `something.annals`, on a local file system.
  ///   - plan: The schema versions and the stages between them.
  ///   - options: The access, and the behaviour if there is no store.
  ///   - inline: The projections to fold in the transaction of each append.
  ///   - progress: Called on the open's thread, at most ten times a second for each step. It should be quick.
  /// - Returns: The store.
  /// - Throws: As ``init(at:plan:options:inline:)``, and `cancelled`.
  public static func open(
    at url: URL, plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = [],
    progress: @escaping @Sendable (OpenProgress) -> Void = { _ in }
  ) async throws(AnnalsError) -> EventStore {
    let watch = OpenWatch(progress)
    var options = options
    options.watch = watch
    return try await watch.run { [options] () throws(AnnalsError) in
      try EventStore(at: url, plan: plan, options: options, inline: inline)
    }
  }
}
