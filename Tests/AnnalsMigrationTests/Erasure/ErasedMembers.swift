import AnnalsTestSupport
import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsStore

/// Members of a club, whose streams get other names in the second version.
enum ErasedMembers {
  @Schema(1, 0, 0) enum V1 { @Record struct Joined: Equatable { var name: String } }
  @Schema(2, 0, 0) enum V2 { typealias Joined = V1.Joined }

  enum First: SchemaMigrationPlan { static var stages: MigrationChain<V1, V1> {} }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Streams { _, origin in
          let words = origin.stream.text.split(separator: " ")
          return words.count == 2 ? .moves(to: StreamName("member-\(words[1])")) : .stays
        }
      }
    }
  }
  /// The plan once no program has the first version any more. Nothing in it says that streams were moved.
  enum Later: SchemaMigrationPlan { static var stages: MigrationChain<V2, V2> {} }

  /// A row for each stream, which the projection finds by the stream's name.
  enum Rows<Schema: VersionedSchema>: InlineProjection, ErasingProjection {
    typealias Event = Schema.Event
    typealias Member = ErasedMembers.Member
    static var name: String { "members" }
    static var version: Int { 1 }
    static var tables: [ProjectionTable] { [.rows(Member.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      let name =
        switch entry.event {
        case let event as V1.Event: if case .joined(let joined) = event { joined.name } else { "" }
        case let event as V2.Event: if case .joined(let joined) = event { joined.name } else { "" }
        default: ""
        }
      try rows.put(Member(account: entry.stream.text, name: name))
    }
    static func erase(_ event: ErasedEvent, from rows: inout ProjectionRows) throws {
      try rows.delete(Member.self, event.stream.text)
    }
  }
  @Record struct Member: ProjectionRow {
    var account: String
    var name: String
    var key: String { account }
  }
}
