/// A step of an erasure, at which tests end the process.
package enum ErasurePoint: String, CaseIterable, Sendable {
  /// The note is written, and views and snapshots are withdrawn.
  case withdrawn
  /// A commit has erased entries, perhaps not all.
  case committed
  /// Everything that was worked out from the entries is cleared, and the note is still there.
  case cleared

  /// Is called at each step; only tests set it.
  ///
  /// It is a structure, because a task-local value of the closure's own type crashes in optimised code of
  /// Swift 6.3.
  package struct Observer: Sendable {
    let reach: @Sendable (ErasurePoint) -> Void

    package init(reach: @escaping @Sendable (ErasurePoint) -> Void) { self.reach = reach }
  }

  @TaskLocal package static var observer: Observer?

  static func reach(_ point: ErasurePoint) { observer?.reach(point) }
}
