import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Two releases that were both made of 1.0.0: a hotfix 1.1.0, and 2.0.0 without it.
extension OldestReaderTests {
  @Test func `a hotfix that turned two fields around does not read the main line's events`() async throws {
    let place = try TemporaryStore()
    let event = Main.Event.moved(.init(from: "A", to: "B", note: nil))
    try await place.write([.moved(.init(from: "a", to: "b"))], as: Moves1.self)
    let open = try EventStore(at: place.url, plan: Turned.self)
    #expect(try open.events() == [.moved(.init(from: "b", to: "a"))])
    try await place.write([event], through: MainPlan.self)
    let error = #expect(throws: AnnalsError.self) { try open.events() }
    #expect(error?.code == .newerSchema)
    #expect(error?.details.position == 2)
    let refusal = try place.refusal(of: Turned.self)
    #expect(refusal?.code == .newerSchema)
    #expect(refusal?.details.kinds.map(\.type) == ["Moved"])
    #expect(refusal?.message.contains("and the version of the events does not follow it") == true)
    // The program of the version that both come from reads it, and so does a hotfix that left it alone.
    #expect(try place.read(OneSchema<Moves1>.self).last == .moved(.init(from: "A", to: "B")))
    #expect(try place.read(Harmless.self).last == .moved(.init(from: "A", to: "B")))
  }

  @Test func `a hotfix whose rule takes the record does not read the main line's events`() async throws {
    let place = try TemporaryStore()
    try await place.write([.moved(.init(from: "A", to: "B", note: nil))], through: MainPlan.self)
    #expect(try place.refusal(of: Ruled.self)?.code == .newerSchema)
    #expect(try place.refusal(of: Renamed.self)?.code == .newerSchema)
  }

  @Test func `a type that the hotfix has under another name is not passed over`() async throws {
    let place = try TemporaryStore()
    try await place.write([.moved(.init(from: "A", to: "B", note: nil))], through: MainPlan.self)
    var options = StoreOptions()
    options.newerTypes = .skip
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: Renamed.self, options: options)
    }
    #expect(error?.code == .newerSchema)
  }

  @Test func `a hotfix of a version that the main line does not have reads nothing below the oldest reader`()
    async throws
  {
    let place = try TemporaryStore()
    // The main line's rule of 1.0.1 takes the record: 1.0.0 does not read it, nor what is made of that.
    try await place.write([.moved(.init(from: "A", to: "B", note: nil))], through: LongMainPlan.self)
    #expect(try place.refusal(of: OneSchema<Moves1>.self)?.code == .newerSchema)
    #expect(try place.refusal(of: Harmless.self)?.code == .newerSchema)
    #expect(try place.read(LongMainPlan.self).count == 1)
  }

  @Test func `a plan with the versions of both branches reads the events of both`() async throws {
    let place = try TemporaryStore()
    let hotfix = try EventStore(at: place.url, plan: Turned.self)
    try await place.write([.moved(.init(from: "A", to: "B", note: nil))], through: MainPlan.self)
    try await hotfix.append([.moved(.init(from: "b", to: "a"))], to: "all")
    #expect(try place.refusal(of: MainPlan.self)?.code == .noPath)
    #expect(
      try place.read(Merged.self) == [
        .moved(.init(from: "A", to: "B", note: nil)), .moved(.init(from: "a", to: "b", note: nil)),
      ])
  }
}

@Schema(1, 0, 0) private enum Moves1 {
  @Record fileprivate struct Moved: Equatable {
    var from: String
    var to: String
  }
}
@Schema(1, 0, 1) private enum Moves1Ruled {
  @Record fileprivate struct Moved: Equatable {
    var from: String
    var to: String
  }
}
@Schema(2, 0, 0) private enum Main {
  @Record fileprivate struct Moved: Equatable {
    var from: String
    var to: String
    var note: String?
  }
}
private enum MainPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Main> {
    MigrationStage.lightweight(fromVersion: Moves1.self, toVersion: Main.self)
  }
}
private enum LongMainPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Main> {
    MigrationStage.custom(fromVersion: Moves1.self, toVersion: Moves1Ruled.self) {
      Upcast(\.moved, to: \.moved) { old, _ in .init(from: old.to, to: old.from) }
    }
    MigrationStage.lightweight(fromVersion: Moves1Ruled.self, toVersion: Main.self)
  }
}

@Schema(1, 1, 0) private enum Moves1Turned {
  @Record fileprivate struct Moved: Equatable {
    @Field(originalName: "to") var from: String
    @Field(originalName: "from") var to: String
  }
}
private enum Turned: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Moves1Turned> {
    MigrationStage.lightweight(fromVersion: Moves1.self, toVersion: Moves1Turned.self)
  }
}
private enum Merged: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Main> {
    MigrationStage.lightweight(fromVersion: Moves1.self, toVersion: Moves1Turned.self)
    MigrationStage.custom(fromVersion: Moves1Turned.self, toVersion: Main.self) {
      Upcast(\.moved, to: \.moved) { old, _ in .init(from: old.to, to: old.from, note: nil) }
    }
  }
}
@Schema(1, 1, 0) private enum Moves1Same {
  typealias Moved = Moves1.Moved
  @Record fileprivate struct Kept: Equatable { var n: Int }
}
private enum Harmless: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Moves1Same> {
    MigrationStage.lightweight(fromVersion: Moves1.self, toVersion: Moves1Same.self)
  }
}
private enum Ruled: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Moves1Same> {
    MigrationStage.custom(fromVersion: Moves1.self, toVersion: Moves1Same.self) {
      Upcast(\.moved, to: \.moved) { old, _ in .init(from: old.to, to: old.from) }
    }
  }
}
@Schema(1, 1, 0) private enum Moves1Renamed {
  @Record(formerly: ["Moved"]) fileprivate struct Walked: Equatable {
    var from: String
    var to: String
  }
}
private enum Renamed: SchemaMigrationPlan {
  static var stages: MigrationChain<Moves1, Moves1Renamed> {
    MigrationStage.lightweight(fromVersion: Moves1.self, toVersion: Moves1Renamed.self)
  }
}

extension Moves1Turned.Event: Equatable {}
extension Moves1Same.Event: Equatable {}
extension Moves1.Event: Equatable {}
extension Main.Event: Equatable {}
