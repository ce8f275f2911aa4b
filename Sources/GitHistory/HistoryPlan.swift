import Annals
import Foundation

/// The plan of the first release: one schema and no stage.
enum FirstHistoryPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<HistoryV1, HistoryV1> {}
}

/// The current plan: events of every release read as events of the third.
package enum HistoryPlan: SchemaMigrationPlan {
  package static var stages: MigrationChain<HistoryV1, HistoryV3> {
    MigrationStage.custom(fromVersion: HistoryV1.self, toVersion: HistoryV2.self) {
      Split(\.commitMade, into: [\.commitRecorded, \.fileChanged]) { old, origin in
        let commit = HistoryV2.CommitRecorded(
          sha: old.sha, author: old.author, date: old.date, message: old.message)
        return [.commitRecorded(commit)]
          + old.files.map { .fileChanged(HistoryV2.FileChanged(line: $0, of: old.sha)) }
      }
      Split(\.filesContinued, into: [\.fileChanged]) { old, origin in
        old.files.map { .fileChanged(HistoryV2.FileChanged(line: $0, of: old.sha)) }
      }
    }
    MigrationStage.custom(fromVersion: HistoryV2.self, toVersion: HistoryV3.self) {
      Upcast(\.commitRecorded, to: \.commitRecorded) { old, origin in
        let lines = old.message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return HistoryV3.CommitRecorded(
          sha: old.sha, author: HistoryV3.Author(old.author), time: Date(commit: old.date),
          subject: lines.first.map(String.init) ?? "",
          body: lines.dropFirst().first.map { String($0.drop { $0 == "\n" }) } ?? "")
      }
    }
  }
}

extension HistoryV2.FileChanged {
  /// Parses a change from a line of version 1.
  fileprivate init(line: String, of sha: String) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    self.init(
      sha: sha, change: parts.first ?? "", path: parts.last ?? "",
      formerPath: parts.count == 3 ? parts[1] : nil)
  }
}

extension HistoryV3.Author {
  /// Parses an author from a text of the older versions: `A Name <address>`.
  fileprivate init(_ text: String) {
    guard text.hasSuffix(">"), let mark = text.range(of: " <", options: [.backwards, .literal]) else {
      self.init(name: text, email: "")
      return
    }
    self.init(name: String(text[..<mark.lowerBound]), email: String(text[mark.upperBound...].dropLast()))
  }
}

extension Date {
  /// Parses the date of a commit: seconds since 1970 and an offset, which does not affect the moment.
  ///
  /// Returns `nil` for a date outside the years 1 to 9999. Git lets a commit contain any date, and unknown
  /// ones stay unknown.
  fileprivate init?(commit text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Int64(parts[0]), Self.known.contains(seconds) else { return nil }
    self.init(timeIntervalSince1970: TimeInterval(seconds))
  }

  /// The seconds since 1970 of the years 1 to 9999.
  private static let known: Range<Int64> = -62_135_596_800..<253_402_300_800
}
