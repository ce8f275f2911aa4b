/// The amount of the log that views process at a time.
package struct ViewPace: Sendable {
  /// The most entries that a page of the log covers.
  package var entries = 4_096
  /// The most bytes of entries that a page covers, not counting the last entry.
  var bytes = 2 << 20
  /// The time for which a batch takes further pages while a view follows the log.
  var live = Duration.milliseconds(50)
  /// The same while a view is built.
  package var building = Duration.milliseconds(250)
}
