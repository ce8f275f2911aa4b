import Annals
import Foundation

/// The tables of a history, folded from its events.
struct HistoryViews {
  private let authors: View<Authors>
  private let files: View<ChangedFiles>
  /// Whether the earlier version was built first, as an older release had left it.
  let isRaised: Bool

  /// The longest time to wait for a table.
  private static let patience = Duration.seconds(3_600)

  /// Opens the tables, and waits until they include the log up to `head`.
  init(_ store: EventStore<HistoryPlan>, upTo head: Position) async throws {
    isRaised = try !store.log.views().contains { $0.name == Authors.name }
    // The version of the previous release is read until the current version is ready.
    if isRaised { try await store.view(AuthorsV1.self).waitUntil(head, timeout: Self.patience) }
    authors = try store.view(Authors.self)
    files = try store.view(ChangedFiles.self)
    while true {
      let status = try authors.status()
      if case .stopped(let error) = status.state { throw error }
      if status.servedVersion == Authors.version { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    try await authors.waitUntil(head, timeout: Self.patience)
    try await files.waitUntil(head, timeout: Self.patience)
  }

  /// Prints the number of authors and of files, and the first of each.
  func print(to output: inout some TextOutputStream) throws {
    let (authorCount, top) = try authors.read { (rows) throws(AnnalsError) in
      (
        try rows.count(RowQuery(Authors.Author.self)),
        try rows.rows(RowQuery(Authors.Author.byCommits).limit(5))
      )
    }
    let style = Date.ISO8601FormatStyle().year().month().day()
    Self.print(
      "Authors", authorCount,
      top.map { ($0.commits, $0.name.printable + ($0.latest.map { ", last \($0.formatted(style))" } ?? "")) },
      to: &output)
    let (fileCount, busiest) = try files.read { (rows) throws(AnnalsError) in
      (
        try rows.count(RowQuery(ChangedFiles.File.self)),
        try rows.rows(RowQuery(ChangedFiles.File.byChanges).limit(5))
      )
    }
    Self.print("Files", fileCount, busiest.map { ($0.changes, $0.path.printable) }, to: &output)
  }

  private static func print(
    _ title: String, _ count: Int, _ top: [(count: Int, text: String)], to output: inout some TextOutputStream
  ) {
    output.line(title.padding(toLength: 13, withPad: " ", startingAt: 0) + count.grouped)
    for (count, text) in top {
      let number = count.grouped
      output.line(String(repeating: " ", count: max(0, 12 - number.count)) + number + "  " + text)
    }
  }
}
