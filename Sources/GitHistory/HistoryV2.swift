import Annals

/// The second release: an event for the commit and one for each file.
@Schema(2, 0, 0) package enum HistoryV2 {
  /// A commit was recorded; its files follow.
  @Record package struct CommitRecorded: Equatable {
    var sha: String
    var author: String
    var date: String
    var message: String
  }

  /// A commit changed a file.
  @Record package struct FileChanged: Equatable {
    var sha: String
    /// Git's letter: A, C, D, M, R or T.
    var change: String
    var path: String
    /// The former path of a renamed or copied file.
    var formerPath: String?
  }

  // Unchanged from version 1.
  package typealias HistoryRead = HistoryV1.HistoryRead
}
