/// A commit as `git log` prints it.
struct Commit: Equatable {
  /// A file that a commit changed.
  struct Change: Equatable {
    /// The kind of change as git's letter: A added, C copied, D deleted, M modified, R renamed, T type
    /// changed.
    var status: String
    /// The current path; with D, the former one.
    var path: String
    /// The former path of a renamed or copied file.
    var formerPath: String?
  }

  /// The commit's id, 40 or 64 hexadecimal digits.
  var sha: String
  /// The author's name.
  var name = ""
  /// The author's mail address.
  var email = ""
  /// The time when it was authored: seconds since 1970 and an offset, `1577927045 +0200`. Empty or invalid if
  /// the commit's own is.
  var date = ""
  /// The message.
  var message = ""
  /// The changed files, in git's order. A merge has none, as `git log` shows none.
  var changes: [Change] = []
}
