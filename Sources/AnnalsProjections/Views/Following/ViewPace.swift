internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsStore
package import AnnalsLog

/// The amount of the log that views process at a time.
package struct ViewPace: Sendable {
  /// The most entries that a page of the log covers.
  package var entries = 4_096
  /// The most bytes of entries that a page covers, not counting the last entry.
  var bytes = 2 << 20
  /// The time for which a batch takes further pages while a view follows the log.
  var live = Duration.milliseconds(50)
  /// The same while a view is built. A row that changes often is stored once in that time; a turn of more
  /// than a second counts as slow.
  package var building = Duration.milliseconds(500)

  package init() {}
}

extension StoreOptions {
  /// The amount of the log that views process at a time; less in test programs with few entries. The first
  /// opener of a view in a process decides.
  package var viewPace: ViewPace {
    get { self[ViewPace.self] ?? ViewPace() }
    set { self[ViewPace.self] = newValue }
  }
}
