import Testing

@testable import Annals
@testable import AnnalsStore

/// What a downcast makes of a record must be one of the newer version again.
@Suite struct DowncastReturnTests {
  @Schema(1, 0, 0) enum Beats1 {
    @Record struct Pinged: Equatable { var n: Int }
    @Record struct Walked: Equatable { var steps: Int }
    @Record struct Named: Equatable { var name: String }
  }
  @Schema(2, 0, 0, .bridge) enum Beats2 {
    @Record struct Beat: Equatable { var n: Int }
    @Record struct Walked: Equatable { var steps: Int }
    @Record struct Titled: Equatable { var name: String }
  }
  struct TooFar: Error {}

  enum Plan1: SchemaMigrationPlan { static var stages: MigrationChain<Beats1, Beats1> {} }
  enum Plan2: SchemaMigrationPlan {
    static var stages: MigrationChain<Beats1, Beats2> {
      MigrationStage.custom(fromVersion: Beats1.self, toVersion: Beats2.self) {
        Drop(\.pinged, reason: "no use")
        Upcast(\.walked, to: \.walked) { old, _ in
          guard old.steps < 1_000 else { throw TooFar() }
          return .init(steps: old.steps)
        }
        Downcast(\.walked, to: \.walked) { new in .init(steps: new.steps) }
        Split(\.named, into: [\.titled]) { old, origin in
          origin.metadata["secret"] == true
            ? [] : old.name.split(separator: " ").map { .titled(.init(name: String($0))) }
        }
        Downcast(\.titled, to: \.named) { new in .init(name: new.name) }
        Downcast(\.beat) { new in
          switch new.n {
          case ..<0: .pinged(.init(n: new.n))
          case 0..<100: .walked(.init(steps: new.n))
          default: nil
          }
        }
      }
    }
  }
  /// The stage drops every result of its own downcast.
  enum Lost: SchemaMigrationPlan {
    static var stages: MigrationChain<Beats1, Beats2> {
      MigrationStage.custom(fromVersion: Beats1.self, toVersion: Beats2.self) {
        Drop(\.pinged, reason: "no use")
        Downcast(\.beat, to: \.pinged) { new in .init(n: new.n) }
        Upcast(\.walked, to: \.walked) { old, _ in .init(steps: old.steps) }
        Downcast(\.walked, to: \.walked) { new in .init(steps: new.steps) }
        Upcast(\.named, to: \.titled) { old, _ in .init(name: old.name) }
        Downcast(\.titled, to: \.named) { new in .init(name: new.name) }
      }
    }
  }

  private static let unread: [NewEvent<Beats2.Event>] = [
    NewEvent(.beat(.init(n: -1))), NewEvent(.walked(.init(steps: 1_000))),
    NewEvent(.titled(.init(name: " "))), NewEvent(.titled(.init(name: "A")), metadata: ["secret": true]),
    NewEvent(.titled(.init(name: "A B"))), NewEvent(.beat(.init(n: 7))),
  ]

  @Test(arguments: Self.unread.indices)
  func
    `an event that its older form does not give again is refused, and nothing of its call is stored`(
      number: Int
    ) async throws
  {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await newer.append([NewEvent(.walked(.init(steps: 1))), Self.unread[number]], to: "a")
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.details.stream == "a" && error?.details.version == SchemaVersion(2, 0, 0))
    #expect((error?.underlying is TooFar) == (number == 1))
    #expect(try older.events().isEmpty)
  }

  @Test func `an event whose older form gives it again is stored, and read by both`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    try await newer.append([.walked(.init(steps: 999)), .titled(.init(name: "A"))], to: "a")
    #expect(try older.events() == [.walked(.init(steps: 999)), .named(.init(name: "A"))])
    #expect(try newer.events() == [.walked(.init(steps: 999)), .titled(.init(name: "A"))])
  }

  @Test func `an active bridge asks no downcast`() async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    try await newer.append(Self.unread, to: "a")
    #expect(try newer.events().count == Self.unread.count)
  }

  @Test func `a downcast to a record that its stage drops makes the plan invalid`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(Lost.self) }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("Downcast") == true && error?.message.contains("'Pinged'") == true)
  }
}

extension DowncastReturnTests.Beats1.Event: Equatable {}
extension DowncastReturnTests.Beats2.Event: Equatable {}
