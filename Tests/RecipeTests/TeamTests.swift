import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum TeamsV1 {
  @Record struct TeamFounded: Equatable {
    var id: UUID
    var name: String
  }
  @Record struct PlayerAdded: Equatable {
    var name: String
    var team: UUID
  }
}

@Schema(2, 0, 0) enum TeamsV2 {
  typealias TeamFounded = TeamsV1.TeamFounded
  @Record struct TeamMemberAdded: Equatable {
    var name: String
    var team: UUID?
  }
}

/// A player whose team is not in the log becomes a member without one.
enum NullifyingTeamPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TeamsV1, TeamsV2> {
    MigrationStage.custom(
      fromVersion: TeamsV1.self, toVersion: TeamsV2.self, prepare: dangling
    ) {
      Upcast(\.playerAdded, to: \.teamMemberAdded) { old, origin, dangling in
        .init(name: old.name, team: dangling.contains(origin.position) ? nil : old.team)
      }
    }
  }

  /// The positions of players whose team is not in the log.
  static func dangling(in history: StageHistory<TeamsV1.Event>) throws -> Set<Position> {
    try history.danglingReferences(
      from: { entry in if case .playerAdded(let player) = entry.event { [player.team] } else { [] } },
      to: { entry in if case .teamFounded(let team) = entry.event { team.id } else { nil } })
  }
}

/// A player whose team is not in the log is dropped.
enum DroppingTeamPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TeamsV1, TeamsV2> {
    MigrationStage.custom(
      fromVersion: TeamsV1.self, toVersion: TeamsV2.self, prepare: NullifyingTeamPlan.dangling
    ) {
      Split(\.playerAdded, into: [\.teamMemberAdded]) { old, origin, dangling in
        guard !dangling.contains(origin.position) else { return [] }
        return [.teamMemberAdded(.init(name: old.name, team: old.team))]
      }
    }
  }
}

/// Members know their team's name.
@Schema(2, 0, 0) enum TeamNamesV2 {
  typealias TeamFounded = TeamsV1.TeamFounded
  @Record struct TeamMemberAdded: Equatable {
    var name: String
    var teamName: String?
  }
}

enum TeamNamePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TeamsV1, TeamNamesV2> {
    MigrationStage.custom(
      fromVersion: TeamsV1.self, toVersion: TeamNamesV2.self,
      prepare: { history in
        let names = try history.reduce(into: [UUID: String]()) { names, entry in
          if case .teamFounded(let team) = entry.event { names[team.id] = team.name }
        }
        return try KeyedContext(names)
      }
    ) {
      Upcast(\.playerAdded, to: \.teamMemberAdded) { old, _, names in
        .init(name: old.name, teamName: try names[old.team])
      }
    }
  }
}

extension TeamsV2.Event: Equatable {}
extension TeamNamesV2.Event: Equatable {}

@Suite struct TeamTests {
  private let team = UUID()

  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [
        .playerAdded(.init(name: "Early", team: team)), .teamFounded(.init(id: team, name: "Reds")),
        .playerAdded(.init(name: "Lost", team: UUID())),
      ], as: TeamsV1.self)
    return place
  }

  @Test func `players become team members, and references that lead nowhere become nil`() async throws {
    let place = try await seeded()
    #expect(
      try place.read(NullifyingTeamPlan.self, activating: true) == [
        .teamMemberAdded(.init(name: "Early", team: team)), .teamFounded(.init(id: team, name: "Reds")),
        .teamMemberAdded(.init(name: "Lost", team: nil)),
      ])
  }

  @Test func `events whose references lead nowhere can be dropped instead`() async throws {
    let place = try await seeded()
    #expect(
      try place.read(DroppingTeamPlan.self, activating: true) == [
        .teamMemberAdded(.init(name: "Early", team: team)), .teamFounded(.init(id: team, name: "Reds")),
      ])
  }

  // Promise P105.
  @Test func `a rule looks values up in a map made once, instead of searching for each event`()
    async throws
  {
    let place = try await seeded()
    #expect(
      try place.read(TeamNamePlan.self, activating: true) == [
        .teamMemberAdded(.init(name: "Early", teamName: "Reds")),
        .teamFounded(.init(id: team, name: "Reds")),
        .teamMemberAdded(.init(name: "Lost", teamName: nil)),
      ])
  }
}
