import Foundation
import Testing

@testable import Annals
@testable import AnnalsStore

/// What becomes of a field's type, both ways.
@Suite struct TypeChangeContractTests {
  // Promise P51.
  @Test func `a wider type is widened for newer programs, and narrowed for older ones where the value fits`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(n: -5, x: 0.5, t: "a"))], as: Narrow.self)
    #expect(try place.read(ToWide.self) == [.made(.init(n: -5, x: 0.5, t: Data([0x61])))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(n: 6, x: 0.25, t: Data([0x62])))], through: ToWide.self)
    #expect(try newer.read(OneSchema<Narrow>.self) == [.made(.init(n: 6, x: 0.25, t: "b"))])
    try await newer.write([.made(.init(n: 7, x: 0.25, t: Data([0xff])))], through: ToWide.self)
    let error = #expect(throws: AnnalsError.self) { try newer.read(OneSchema<Narrow>.self) }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 2)
  }

  // Promise P52.
  @Test func `another meaning or a narrower type takes a rule, and older programs do not open`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.made(.init(n: 6, x: 0.25, t: Data([0x62])))], as: Wide.self)
    #expect(try place.refusal(of: ToNarrowAgain.self)?.code == .invalidPlan)
    #expect(try place.read(ToNarrowByRule.self) == [.made(.init(n: 6, x: 0.25, t: "b"))])
    let newer = try TemporaryStore()
    try await newer.write([.made(.init(n: 6, x: 0.25, t: "b"))], through: ToNarrowByRule.self)
    #expect(try newer.refusal(of: OneSchema<Wide>.self)?.code == .newerSchema)
  }

  // Promise P53.
  @Test func `an added case is read as it is, and is the unknown one for older programs that declare it`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.drawn(.init(suit: .hearts, hue: .red))], as: Suits.self)
    #expect(try place.read(ToMoreSuits.self) == [.drawn(.init(suit: .hearts, hue: .red))])
    let newer = try TemporaryStore()
    try await newer.write(
      [.drawn(.init(suit: .stars, hue: .red)), .drawn(.init(suit: .stars, hue: .green))],
      through: ToMoreSuits.self)
    let older = try EventStore(at: newer.url, plan: OneSchema<Suits>.self)
    let first = try older.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(limit: 1)
      return try entries.next()?.event
    }
    #expect(first == .drawn(.init(suit: .other, hue: .red)))
    // A choice without a case for unknown ones fails at an unknown one.
    let error = #expect(throws: AnnalsError.self) { try older.events() }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 2)
  }

  // Promise P54.
  @Test func `a removed or renamed case takes a rule`() async throws {
    let place = try TemporaryStore()
    try await place.write([.drawn(.init(suit: .stars, hue: .red))], as: MoreSuits.self)
    #expect(try place.refusal(of: ToFewerSuits.self)?.code == .invalidPlan)
    #expect(try place.read(ToFewerSuitsByRule.self) == [.drawn(.init(suit: .other))])
  }

  // Promise P55.
  @Test func `a value that becomes an array is wrapped, and older programs do not open`() async throws {
    let place = try TemporaryStore()
    try await place.write([.sent(.init(to: "a", street: "s", home: .init(city: "c")))], as: Flat.self)
    #expect(
      try place.read(ToNested.self)
        == [.sent(.init(to: ["a"], address: .init(street: "s"), city: "c"))])
    let newer = try TemporaryStore()
    try await newer.write(
      [.sent(.init(to: ["a"], address: .init(street: "s"), city: "c"))], through: ToNested.self)
    #expect(try newer.refusal(of: OneSchema<Flat>.self)?.code == .newerSchema)
  }

  // Promise P56.
  @Test func `without a word in the stage nothing is wrapped or moved`() async throws {
    let place = try TemporaryStore()
    try await place.write([.sent(.init(to: "a", street: "s", home: .init(city: "c")))], as: Flat.self)
    let error = try place.refusal(of: ToNestedInSilence.self)
    #expect(error?.code == .invalidPlan)
    for field in ["to", "address", "city"] { #expect(error?.message.contains(field) == true) }
  }

  // Promise P57.
  @Test func `an array that becomes a value takes a rule, and older programs do not open`() async throws {
    let place = try TemporaryStore()
    try await place.write([.listed(.init(names: ["a", "b"]))], as: Many.self)
    #expect(try place.refusal(of: ToOne.self)?.code == .invalidPlan)
    #expect(try place.read(ToOneByRule.self) == [.listed(.init(names: "a"))])
    let newer = try TemporaryStore()
    try await newer.write([.listed(.init(names: "c"))], through: ToOneByRule.self)
    #expect(try newer.refusal(of: OneSchema<Many>.self)?.code == .newerSchema)
  }
}

@Schema(1, 0, 0) private enum Narrow {
  @Record fileprivate struct Made: Equatable {
    var n: Int16
    var x: Float
    var t: String
  }
}
@Schema(2, 0, 0) private enum Wide {
  @Record fileprivate struct Made: Equatable {
    var n: Int64
    var x: Double
    var t: Data
  }
}
@Schema(3, 0, 0) private enum NarrowAgain {
  @Record fileprivate struct Made: Equatable {
    var n: Int16
    var x: Float
    var t: String
  }
}
@Value private enum Hue: Equatable {
  case red
}
@Value private enum NewHue: Equatable {
  case red, green
}
@Schema(1, 0, 0) private enum Suits {
  @Value fileprivate enum Suit: Equatable {
    case hearts
    @UnknownCase case other
  }
  @Record fileprivate struct Drawn: Equatable {
    var suit: Suit
    var hue: Hue
  }
}
@Schema(2, 0, 0) private enum MoreSuits {
  @Value fileprivate enum Suit: Equatable {
    case stars, hearts
    @UnknownCase case other
  }
  @Record fileprivate struct Drawn: Equatable {
    var suit: Suit
    var hue: NewHue
  }
}
@Schema(3, 0, 0) private enum FewerSuits {
  @Record fileprivate struct Drawn: Equatable { var suit: Suits.Suit }
}
@Schema(1, 0, 0) private enum Flat {
  @Value fileprivate struct Home: Equatable { var city: String }
  @Record fileprivate struct Sent: Equatable {
    var to: String
    var street: String
    var home: Home
  }
}
@Schema(2, 0, 0) private enum Nested {
  @Value fileprivate struct Address: Equatable { var street: String }
  @Record fileprivate struct Sent: Equatable {
    var to: [String]
    var address: Address
    var city: String
  }
}
@Schema(1, 0, 0) private enum Many {
  @Record fileprivate struct Listed: Equatable { var names: [String] }
}
@Schema(2, 0, 0) private enum One {
  @Record fileprivate struct Listed: Equatable { var names: String }
}
extension Narrow.Event: Equatable {}
extension Wide.Event: Equatable {}
extension NarrowAgain.Event: Equatable {}
extension Suits.Event: Equatable {}
extension MoreSuits.Event: Equatable {}
extension FewerSuits.Event: Equatable {}
extension Nested.Event: Equatable {}
extension Many.Event: Equatable {}
extension One.Event: Equatable {}

private enum ToWide: SchemaMigrationPlan {
  static var stages: MigrationChain<Narrow, Wide> {
    MigrationStage.lightweight(fromVersion: Narrow.self, toVersion: Wide.self)
  }
}
private enum ToNarrowAgain: SchemaMigrationPlan {
  static var stages: MigrationChain<Wide, NarrowAgain> {
    MigrationStage.lightweight(fromVersion: Wide.self, toVersion: NarrowAgain.self)
  }
}
private enum ToNarrowByRule: SchemaMigrationPlan {
  static var stages: MigrationChain<Wide, NarrowAgain> {
    MigrationStage.custom(fromVersion: Wide.self, toVersion: NarrowAgain.self) {
      Upcast(\.made, to: \.made) { old, _ in
        .init(n: Int16(clamping: old.n), x: Float(old.x), t: String(decoding: old.t, as: UTF8.self))
      }
    }
  }
}
private enum ToMoreSuits: SchemaMigrationPlan {
  static var stages: MigrationChain<Suits, MoreSuits> {
    MigrationStage.lightweight(fromVersion: Suits.self, toVersion: MoreSuits.self)
  }
}
private enum ToFewerSuits: SchemaMigrationPlan {
  static var stages: MigrationChain<MoreSuits, FewerSuits> {
    MigrationStage.lightweight(fromVersion: MoreSuits.self, toVersion: FewerSuits.self)
  }
}
private enum ToFewerSuitsByRule: SchemaMigrationPlan {
  static var stages: MigrationChain<MoreSuits, FewerSuits> {
    MigrationStage.custom(fromVersion: MoreSuits.self, toVersion: FewerSuits.self) {
      Upcast(\.drawn, to: \.drawn) { old, _ in .init(suit: old.suit == .hearts ? .hearts : .other) }
    }
  }
}
private enum ToNested: SchemaMigrationPlan {
  static var stages: MigrationChain<Flat, Nested> {
    MigrationStage.lightweight(fromVersion: Flat.self, toVersion: Nested.self) {
      Wrap(\.sent, \.to)
      Plunge(\.sent, into: \.address)
      Hoist(\.sent, \.city, from: "home")
    }
  }
}
private enum ToNestedInSilence: SchemaMigrationPlan {
  static var stages: MigrationChain<Flat, Nested> {
    MigrationStage.lightweight(fromVersion: Flat.self, toVersion: Nested.self)
  }
}
private enum ToOne: SchemaMigrationPlan {
  static var stages: MigrationChain<Many, One> {
    MigrationStage.lightweight(fromVersion: Many.self, toVersion: One.self)
  }
}
private enum ToOneByRule: SchemaMigrationPlan {
  static var stages: MigrationChain<Many, One> {
    MigrationStage.custom(fromVersion: Many.self, toVersion: One.self) {
      Upcast(\.listed, to: \.listed) { old, _ in .init(names: old.names.first ?? "") }
    }
  }
}
