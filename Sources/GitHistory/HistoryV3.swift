import Annals
import Foundation

/// The author of a commit.
@Schema(3, 0, 0) package enum HistoryV3 {
  /// Who wrote a commit.
  @Value package struct Author: Equatable {
    var name: String
    var email: String
  }

  /// A commit was recorded; its files follow.
  @Record package struct CommitRecorded: Equatable {
    var sha: String
    var author: Author
    /// `nil` if the commit's own date is invalid.
    var time: Date?
    var subject: String
    var body: String
  }

  package typealias FileChanged = HistoryV2.FileChanged
  package typealias HistoryRead = HistoryV2.HistoryRead
}
