import Annals

/// The history as the first release of this example stored it: a whole commit in one event, much of it as
/// text.
@Schema(1, 0, 0) package enum HistoryV1 {
  /// A commit was made.
  @Record package struct CommitMade: Equatable {
    var sha: String
    /// `A Name <address>`
    var author: String
    /// Seconds since 1970 and an offset from UTC, as git stores them: `1577927045 +0200`
    var date: String
    var message: String
    /// The letter of each file's change and its path, separated by a tab. With R and C the former path is
    /// between the two.
    var files: [String]
  }

  /// Further files of a commit that changed very many.
  @Record package struct FilesContinued: Equatable {
    var sha: String
    var files: [String]
  }

  /// A history was read up to a commit.
  @Record package struct HistoryRead: Equatable {
    var head: String
    var commits: Int
  }
}
