import Foundation
import Testing

@testable import Annals

/// What becomes of fields, both ways: a newer program reads what an older one stored, and the reverse.
@Suite struct FieldChangeContractTests {
  // Promise P38.
  @Test func `an added optional field is nil for newer programs, and its bytes are kept for older ones`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "x", n: 1))], as: Base.self)
    #expect(try place.read(ToOptional.self) == [.made(.init(n: 1, note: nil, a: "x"))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(n: 2, note: "y", a: "z"))], through: ToOptional.self)
    #expect(try newer.read(OneSchema<Base>.self) == [.made(.init(a: "z", n: 2))])
    #expect(try newer.read(OneSchema<WithOptional>.self) == [.made(.init(n: 2, note: "y", a: "z"))])
  }

  // Promise P39.
  @Test func `a field with a constant has it for newer programs, and is passed over by older ones`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "x", n: 1))], as: Base.self)
    #expect(try place.read(ToConstant.self) == [.made(.init(a: "x", n: 1, k: 7))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(a: "z", n: 2, k: 9))], through: ToConstant.self)
    #expect(try newer.read(OneSchema<Base>.self) == [.made(.init(a: "z", n: 2))])
  }

  // Promise P42.
  @Test func `a required field without a constant makes a lightweight stage invalid, and takes a rule`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "x", n: 1))], as: Base.self)
    #expect(try place.refusal(of: ToRequired.self)?.code == .invalidPlan)
    #expect(try place.read(ToRuled.self) == [.made(.init(a: "x", n: 1, k: 1))])
  }

  // Promise P43.
  @Test func `a removed optional field is passed over by newer programs, and nil for older ones`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(n: 2, note: "y", a: "z"))], as: WithOptional.self)
    #expect(try place.read(FromOptional.self) == [.made(.init(a: "z", n: 2))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(a: "z", n: 2))], through: FromOptional.self)
    #expect(try newer.read(OneSchema<WithOptional>.self) == [.made(.init(n: 2, note: nil, a: "z"))])
  }

  // Promise P44.
  @Test func `a removed required field is passed over by newer programs, and older ones do not open`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "z", n: 2, k: 3))], as: WithRequired.self)
    #expect(try place.read(FromRequired.self) == [.made(.init(a: "z", n: 2))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(a: "z", n: 2))], through: FromRequired.self)
    #expect(try newer.refusal(of: OneSchema<WithRequired>.self)?.code == .newerSchema)
  }

  // Promise P45.
  @Test func `a renamed field is mapped for newer programs, and mapped back for older ones`() async throws {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "x", n: 1))], as: Base.self)
    #expect(try place.read(ToRenamed.self) == [.made(.init(a: "x", count: 1))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(a: "z", count: 2))], through: ToRenamed.self)
    #expect(try newer.read(OneSchema<Base>.self) == [.made(.init(a: "z", n: 2))])
  }

  // Promise P48.
  @Test func `a field that becomes optional is read as it is, by older programs until nil is written`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "x", n: 1))], as: Base.self)
    #expect(try place.read(ToLoose.self) == [.made(.init(a: "x", n: 1))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(a: "z", n: 2))], through: ToLoose.self)
    #expect(try newer.read(OneSchema<Base>.self) == [.made(.init(a: "z", n: 2))])
    try await newer.write([.made(.init(a: "z", n: nil))], through: ToLoose.self)
    let error = #expect(throws: AnnalsError.self) { try newer.read(OneSchema<Base>.self) }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 2)
  }

  // Promise P49.
  @Test func `a field that becomes required takes a rule, and older programs do not open`() async throws {
    let place = try TemporaryStore()
    try await place.write([.made(.init(a: "x", n: nil))], as: Loose.self)
    #expect(try place.refusal(of: ToStrict.self)?.code == .invalidPlan)
    #expect(try place.read(ToStrictByRule.self) == [.made(.init(a: "x", n: 0))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(a: "z", n: 2))], through: ToStrictByRule.self)
    #expect(try newer.refusal(of: OneSchema<Loose>.self)?.code == .newerSchema)
  }
}

@Schema(1, 0, 0) private enum Base {
  @Record fileprivate struct Made: Equatable {
    var a: String
    var n: Int
  }
}
@Schema(2, 0, 0) private enum WithOptional {
  @Record fileprivate struct Made: Equatable {
    var n: Int
    var note: String?
    var a: String
  }
}
@Schema(2, 0, 0) private enum WithRequired {
  @Record fileprivate struct Made: Equatable {
    var a: String
    var n: Int
    var k: Int
  }
}
@Schema(3, 0, 0) private enum Without {
  @Record fileprivate struct Made: Equatable {
    var a: String
    var n: Int
  }
}
@Schema(2, 0, 0) private enum Renamed {
  @Record fileprivate struct Made: Equatable {
    var a: String
    @Field(originalName: "n") var count: Int
  }
}
@Schema(2, 0, 0) private enum Loose {
  @Record fileprivate struct Made: Equatable {
    var a: String
    var n: Int?
  }
}
@Schema(3, 0, 0) private enum Strict {
  @Record fileprivate struct Made: Equatable {
    var a: String
    var n: Int
  }
}
extension Base.Event: Equatable {}
extension WithOptional.Event: Equatable {}
extension WithRequired.Event: Equatable {}
extension Without.Event: Equatable {}
extension Renamed.Event: Equatable {}
extension Loose.Event: Equatable {}
extension Strict.Event: Equatable {}

private enum ToOptional: SchemaMigrationPlan {
  static var stages: MigrationChain<Base, WithOptional> {
    MigrationStage.lightweight(fromVersion: Base.self, toVersion: WithOptional.self)
  }
}
private enum ToConstant: SchemaMigrationPlan {
  static var stages: MigrationChain<Base, WithRequired> {
    MigrationStage.lightweight(fromVersion: Base.self, toVersion: WithRequired.self) {
      Default(\.made, \.k, 7)
    }
  }
}
private enum ToRequired: SchemaMigrationPlan {
  static var stages: MigrationChain<Base, WithRequired> {
    MigrationStage.lightweight(fromVersion: Base.self, toVersion: WithRequired.self)
  }
}
private enum ToRuled: SchemaMigrationPlan {
  static var stages: MigrationChain<Base, WithRequired> {
    MigrationStage.custom(fromVersion: Base.self, toVersion: WithRequired.self) {
      Upcast(\.made, to: \.made) { old, _ in .init(a: old.a, n: old.n, k: old.a.utf8.count) }
    }
  }
}
private enum FromOptional: SchemaMigrationPlan {
  static var stages: MigrationChain<WithOptional, Without> {
    MigrationStage.lightweight(fromVersion: WithOptional.self, toVersion: Without.self)
  }
}
private enum FromRequired: SchemaMigrationPlan {
  static var stages: MigrationChain<WithRequired, Without> {
    MigrationStage.lightweight(fromVersion: WithRequired.self, toVersion: Without.self)
  }
}
private enum ToRenamed: SchemaMigrationPlan {
  static var stages: MigrationChain<Base, Renamed> {
    MigrationStage.lightweight(fromVersion: Base.self, toVersion: Renamed.self)
  }
}
private enum ToLoose: SchemaMigrationPlan {
  static var stages: MigrationChain<Base, Loose> {
    MigrationStage.lightweight(fromVersion: Base.self, toVersion: Loose.self)
  }
}
private enum ToStrict: SchemaMigrationPlan {
  static var stages: MigrationChain<Loose, Strict> {
    MigrationStage.lightweight(fromVersion: Loose.self, toVersion: Strict.self)
  }
}
private enum ToStrictByRule: SchemaMigrationPlan {
  static var stages: MigrationChain<Loose, Strict> {
    MigrationStage.custom(fromVersion: Loose.self, toVersion: Strict.self) {
      Upcast(\.made, to: \.made) { old, _ in .init(a: old.a, n: old.n ?? 0) }
    }
  }
}
