import Foundation

@testable import Annals

// Declarations in this file are stored in the kept store of inline projections: they never change.

/// The only version: members of a club and their visits.
@Schema(1, 0, 0) enum GoldenClub1 {
  @Record struct Joined { var name: String }
  @Record struct Visited { var n: Int }
}

enum GoldenClubPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<GoldenClub1, GoldenClub1> {}
}

/// The names of members, which are unique. Every program that wrote the kept store had this projection.
enum GoldenMembers: InlineProjection {
  typealias Event = GoldenClub1.Event
  @Record struct Member: ProjectionRow {
    var stream: String
    var name: String
    var key: String { stream }
    static let byName = SecondaryKey<Member, String>("name", unique: true) { $0.name }
    static var secondaryKeys: [any DeclaredKey<Member>] { [byName] }
  }

  static let name = "members"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Member.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .joined(let joined) = entry.event else { return }
    try rows.put(Member(stream: entry.stream.text, name: joined.name))
  }
}

/// The visits of each member. The program that appended last to the kept store did not have this projection.
enum GoldenVisits: InlineProjection {
  typealias Event = GoldenClub1.Event
  @Record struct Visits: ProjectionRow {
    var stream: String
    var n: Int
    var key: String { stream }
  }

  static let name = "visits"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Visits.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .visited(let visited) = entry.event else { return }
    try rows.update(Visits.self, entry.stream.text, initial: Visits(stream: entry.stream.text, n: 0)) {
      $0.n += visited.n
    }
  }
}

/// The store that is kept as bytes under `Golden/format-1-inline`.
///
/// A program with both projections appended positions 1 and 2: Ann joins, and has 3 visits. A program with
/// the first one alone appended positions 3 and 4: Ann has 4 more visits, and Bo joins.
enum InlineGoldenStore {
  static let kept = KeptStore("format-1-inline")
}
