import Annals
import Foundation

/// The current release: authors and times are values, not text.
@Schema(3, 0, 0) enum HistoryV3 {
  /// Who wrote a commit.
  @Value struct Author: Equatable {
    var name: String
    var email: String
  }

  /// A commit was recorded; its files follow.
  @Record struct CommitRecorded: Equatable {
    var sha: String
    var author: Author
    /// `nil` where the commit's own date makes no sense.
    var time: Date?
    var subject: String
    var body: String
  }

  typealias FileChanged = HistoryV2.FileChanged
  typealias HistoryRead = HistoryV2.HistoryRead
}
