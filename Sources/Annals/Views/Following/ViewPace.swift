/// How much of the log views take at a time.
package struct ViewPace: Sendable {
  /// How many entries a page of the log covers at most.
  package var entries = 4_096
  /// How many bytes of entries it covers at most, but for the last entry.
  var bytes = 2 << 20
  /// How long a batch takes in further pages of a view that follows the log.
  var live = Duration.milliseconds(50)
  /// The same while a view is built.
  package var building = Duration.milliseconds(250)
}
