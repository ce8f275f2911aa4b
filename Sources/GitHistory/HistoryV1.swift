import Annals

/// How the first release of this example stored a history: everything of a commit in one event, much of it as text.
@Schema(1, 0, 0) package enum HistoryV1 {
  /// A commit was made.
  @Record package struct CommitMade: Equatable {
    var sha: String
    /// `A Name <address>`
    var author: String
    /// Seconds since 1970 and an offset from UTC, as git stores them: `1577927045 +0200`
    var date: String
    var message: String
    /// For each file the letter of its change and its path, with a tab between; with R and C the former path stands between
    /// the two.
    var files: [String]
  }

  /// More files of a commit that changed very many.
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
