import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

// A club's log, whose streams had bad names at first. Two stages change its streams; other stages change
// records before, between and after them.

@Schema(1, 0, 0) enum ClubV1 {
  @Record struct Weighed: Equatable { var n: Int }
  @Record struct Lifted: Equatable {
    var n: Int
    var sets: Int
  }
  @Record struct Noted: Equatable { var n: Int }
}

/// Streams are renamed, merged and split, and entries are dropped; the same stage also splits one record.
@Schema(2, 0, 0) enum ClubV2 {
  typealias Weighed = ClubV1.Weighed
  typealias Noted = ClubV1.Noted
  @Record struct SetLifted: Equatable { var n: Int }
}

/// A rule uses stream and revision.
@Schema(3, 0, 0) enum ClubV3 {
  typealias SetLifted = ClubV2.SetLifted
  typealias Noted = ClubV2.Noted
  @Record struct Weighed: Equatable {
    var n: Int
    var place: String
  }
}

/// Streams are moved again, two of them into each other's place.
@Schema(4, 0, 0) enum ClubV4 {
  typealias SetLifted = ClubV3.SetLifted
  typealias Noted = ClubV3.Noted
  typealias Weighed = ClubV3.Weighed
}

/// A record gets a field.
@Schema(5, 0, 0) enum ClubV5 {
  typealias SetLifted = ClubV4.SetLifted
  typealias Weighed = ClubV4.Weighed
  @Record struct Noted: Equatable {
    var n: Int
    var by: String?
  }
}

/// The stages, each of which several plans share.
enum ClubStages {
  static var second: MigrationStage<ClubV1, ClubV2> {
    .custom(fromVersion: ClubV1.self, toVersion: ClubV2.self) {
      Split(\.lifted, into: [\.setLifted]) { old, _ in (0..<old.sets).map { _ in .setLifted(.init(n: old.n)) }
      }
      Streams { events, origin in
        if case .noted(let note) = events.first, note.n % 5 == 0 { return .dropped(reason: "no use") }
        let name = origin.stream.text
        if name.hasPrefix("user ") || name.hasPrefix("spare ") {
          return .moves(to: StreamName("athlete-\(name.split(separator: " ")[1])"))
        }
        if name == "club" {
          switch events.first {
          case .weighed: return .moves(to: "weights")
          case .lifted: return .moves(to: "lifts")
          default: return .stays
          }
        }
        return .stays
      }
    }
  }
  static var third: MigrationStage<ClubV2, ClubV3> {
    .custom(fromVersion: ClubV2.self, toVersion: ClubV3.self) {
      Upcast(\.weighed, to: \.weighed) { old, origin in
        .init(n: old.n, place: "\(origin.stream) \(origin.revision)")
      }
    }
  }
  static var fourth: MigrationStage<ClubV3, ClubV4> {
    .custom(fromVersion: ClubV3.self, toVersion: ClubV4.self) {
      Streams { _, origin in
        switch origin.stream {
        case "weights": .moves(to: "lifts")
        case "lifts": .moves(to: "weights")
        case "athlete-0", "athlete-2": .moves(to: "even")
        default: .stays
        }
      }
    }
  }
  static var fifth: MigrationStage<ClubV4, ClubV5> {
    .lightweight(fromVersion: ClubV4.self, toVersion: ClubV5.self)
  }
}

enum ClubFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV1> {}
}

enum ClubSecond: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> { ClubStages.second }
}

enum ClubThird: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV3> {
    ClubStages.second
    ClubStages.third
  }
}

enum ClubFourth: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV4> {
    ClubStages.second
    ClubStages.third
    ClubStages.fourth
  }
}

enum ClubPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV5> {
    ClubStages.second
    ClubStages.third
    ClubStages.fourth
    ClubStages.fifth
  }
}

extension StoreOptions {
  /// Options with which every pass that is due is run before the open returns.
  static func passing(_ options: MigrationOptions = MigrationOptions(), activating: Bool = false)
    -> StoreOptions
  {
    var all = StoreOptions.merging(every: 16)
    all.migration = .beforeOpen(options)
    all.activating = activating
    return all
  }
}

extension TemporaryStore {
  /// Stores the events of the first version that a model says, some of them in calls of several.
  func seed(_ model: ClubModel) async throws {
    let store = try EventStore(at: url, plan: ClubFirst.self, options: .merging(every: 16))
    for call in model.calls {
      try await store.append { all in
        for entry in call {
          all.append(
            [
              NewEvent(
                entry.event, id: entry.id, metadata: ["n": .unsigned(UInt64(entry.n))], time: entry.time)
            ],
            to: StreamName(entry.stream))
        }
      }
    }
  }
}
