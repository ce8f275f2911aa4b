import Annals
import Foundation

/// The authors of commits, with the number of commits and the date of the latest: the current version.
package enum Authors: Projection {
  package typealias Event = HistoryV3.Event

  /// One author.
  @Record package struct Author: Equatable, ProjectionRow {
    var name: String
    var commits: Int
    /// The time when the latest commit was authored; `nil` if no commit has a valid date.
    var latest: Date?

    /// The name, shortened if it is too long for a key.
    package var key: String { name.rowKey }
    /// The most commits come first.
    static let byCommits = SecondaryKey<Author, Int>("commits") { -$0.commits }
    /// The secondary keys of authors.
    package static var secondaryKeys: [any DeclaredKey<Author>] { [byCommits] }
  }

  package static let name = "authors"
  package static let version = 2
  package static var tables: [ProjectionTable] { [.rows(Author.self)] }
  package static var events: EventQuery<Event> { [\.commitRecorded] }

  package static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .commitRecorded(let commit) = entry.event else { return }
    let name = commit.author.name
    try rows.update(Author.self, name.rowKey, initial: Author(name: name, commits: 0, latest: nil)) { row in
      row.commits += 1
      if let time = commit.time { row.latest = max(row.latest ?? time, time) }
    }
  }
}

/// The same projection in the second release, without dates.
package enum AuthorsV1: Projection {
  package typealias Event = HistoryV3.Event

  /// One author.
  @Record package struct Author: Equatable, ProjectionRow {
    var name: String
    var commits: Int

    /// The name, shortened if it is too long for a key.
    package var key: String { name.rowKey }
    /// The most commits come first.
    static let byCommits = SecondaryKey<Author, Int>("commits") { -$0.commits }
    /// The secondary keys of authors.
    package static var secondaryKeys: [any DeclaredKey<Author>] { [byCommits] }
  }

  package static let name = "authors"
  package static let version = 1
  package static var tables: [ProjectionTable] { [.rows(Author.self)] }
  package static var events: EventQuery<Event> { [\.commitRecorded] }

  package static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .commitRecorded(let commit) = entry.event else { return }
    let name = commit.author.name
    try rows.update(Author.self, name.rowKey, initial: Author(name: name, commits: 0)) { $0.commits += 1 }
  }
}
