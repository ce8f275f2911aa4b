import Testing

@testable import Annals
@testable import AnnalsStore

/// How a bridge stores records whose fields left a part, for programs of the version before.
@Suite struct HoistedBridgeTests {
  @Schema(1, 0, 0) enum Letters1 {
    @Value struct Sender: Equatable {
      var name: String
      var city: String?
    }
    @Record struct Sent: Equatable { var sender: Sender }
    @Record struct Read: Equatable { var sender: Sender }
  }
  /// Both fields of one part leave it; the optional one leaves the other part, which stays.
  @Schema(2, 0, 0, .bridge) enum Letters2 {
    @Value struct Name: Equatable { var name: String }
    @Record struct Sent: Equatable {
      @Field(originalName: "name") var from: String
      var city: String?
    }
    @Record struct Read: Equatable {
      var sender: Name
      var city: String?
    }
  }
  /// The required field leaves a part that stays.
  @Schema(2, 0, 0, .bridge) enum Named2 {
    @Value struct City: Equatable { var city: String? }
    typealias Sent = Letters1.Sent
    @Record struct Read: Equatable {
      var sender: City
      var name: String
    }
  }
  enum Plan1: SchemaMigrationPlan { static var stages: MigrationChain<Letters1, Letters1> {} }
  enum Plan2: SchemaMigrationPlan {
    static var stages: MigrationChain<Letters1, Letters2> {
      MigrationStage.lightweight(fromVersion: Letters1.self, toVersion: Letters2.self) {
        Hoist(\.sent, \.from, from: "sender")
        Hoist(\.sent, \.city, from: "sender")
        Hoist(\.read, \.city, from: "sender")
      }
    }
  }
  enum NamedPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Letters1, Named2> {
      MigrationStage.lightweight(fromVersion: Letters1.self, toVersion: Named2.self) {
        Hoist(\.read, \.name, from: "sender")
      }
    }
  }

  @Test func `a part of which all fields leave is put together again`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    try await newer.append([.sent(.init(from: "Ann", city: "Bern"))], to: "a")
    #expect(try older.events() == [.sent(.init(sender: .init(name: "Ann", city: "Bern")))])
    #expect(try newer.events() == [.sent(.init(from: "Ann", city: "Bern"))])
  }

  @Test func `a field that left a part which stays has no place in the older version`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await newer.append([.read(.init(sender: .init(name: "Ann"), city: "Bern"))], to: "a")
    }
    #expect(error?.code == .unrepresentable)
    try await newer.append([.read(.init(sender: .init(name: "Ann"), city: nil))], to: "a")
    #expect(try older.events() == [.read(.init(sender: .init(name: "Ann", city: nil)))])
    let refusal = #expect(throws: AnnalsError.self) { try CompiledPlan(NamedPlan.self) }
    #expect(refusal?.message.contains("write Downcast(\\.read, to: …)") == true)
    #expect(refusal?.message.contains("`name`, text, was `sender.name`") == true)
    #expect(refusal?.message.contains("is gone") == false)
  }
}

extension HoistedBridgeTests.Letters1.Event: Equatable {}
extension HoistedBridgeTests.Letters2.Event: Equatable {}
