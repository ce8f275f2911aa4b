/// A commit as `git log` tells of it.
struct Commit: Equatable {
  /// A file that a commit changed.
  struct Change: Equatable {
    /// What happened, git's letter: A added, C copied, D deleted, M modified, R renamed, T type changed.
    var status: String
    /// Where the file is now; with D, where it was.
    var path: String
    /// Where a renamed or copied file was before.
    var formerPath: String?
  }

  /// The commit's id, 40 or 64 hexadecimal digits.
  var sha: String
  /// The author's name.
  var name = ""
  /// The author's mail address.
  var email = ""
  /// When it was authored: seconds since 1970 and an offset, `1577927045 +0200`; empty or nonsense where the commit says no
  /// better.
  var date = ""
  /// The message.
  var message = ""
  /// The changed files, in git's order. A merge has none, as `git log` shows none.
  var changes: [Change] = []
}
