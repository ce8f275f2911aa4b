/// How long the thread that looks for commits of other processes rests between two looks.
///
/// It rests two milliseconds until there has been no commit for a second. Then it rests longer, and longer
/// still with more files to look at, so that an idle process uses well below a hundredth of a processor.
package struct WatchPace: Sendable {
  /// The most files of one look. With more, each waits for its turn.
  package static let most = 8
  /// The rest while commits come, in milliseconds.
  private static let short: UInt32 = 2
  /// The rest after a second without commits, and what each file adds to it.
  private static let (long, perFile): (UInt32, UInt32) = (8, 1)

  /// The milliseconds of rest since the last commit.
  private var quiet: UInt32 = 0

  package init() {}

  /// Looks often for the next second.
  package mutating func hurry() { quiet = 0 }

  /// Returns the rest after a look, in milliseconds.
  ///
  /// - Parameters:
  ///   - count: The number of files of the look.
  ///   - hasMoved: Whether any of them has a new commit.
  package mutating func rest(after count: Int, hasMoved: Bool) -> UInt32 {
    if hasMoved { quiet = 0 }
    guard quiet >= 1_000 else {
      quiet += Self.short
      return Self.short
    }
    return Self.long + Self.perFile * UInt32(min(count, Self.most))
  }
}
