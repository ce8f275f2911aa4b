import Annals
import Testing

@Schema(1, 0, 0) enum VisitsV1 {
  @Record struct VisitNoted: Equatable { var guest: String }
}

@Schema(2, 0, 0) enum VisitsV2 {
  @Record struct VisitNoted: Equatable { var guest: String? }
}

@Schema(3, 0, 0) enum VisitsV3 {
  @Record struct VisitNoted: Equatable { var guest: String }
}

enum AnonymousPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<VisitsV1, VisitsV2> {
    MigrationStage.lightweight(fromVersion: VisitsV1.self, toVersion: VisitsV2.self)
  }
}

enum NamedPlan: SchemaMigrationPlan {
  struct TooManyNameless: Error, Equatable { let count: Int }
  static let tolerated = 2

  static var stages: MigrationChain<VisitsV2, VisitsV3> {
    MigrationStage.custom(
      fromVersion: VisitsV2.self, toVersion: VisitsV3.self,
      prepare: { history in
        let nameless = try history.reduce(into: 0) { count, entry in
          if case .visitNoted(let visit) = entry.event, visit.guest == nil { count += 1 }
        }
        guard nameless <= tolerated else { throw TooManyNameless(count: nameless) }
        return nameless
      }
    ) {
      Split(\.visitNoted, into: [\.visitNoted]) { old, _, _ in
        guard let guest = old.guest else { return [] }
        return [.visitNoted(.init(guest: guest))]
      }
    }
  }
}

/// It takes the stricter field for a lightweight change.
enum CarelessVisitPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<VisitsV2, VisitsV3> {
    MigrationStage.lightweight(fromVersion: VisitsV2.self, toVersion: VisitsV3.self)
  }
}

extension VisitsV2.Event: Equatable {}
extension VisitsV3.Event: Equatable {}

@Suite struct OptionalityTests {
  @Test func `a field that may be missing from now on needs no rule`() async throws {
    let place = try TemporaryStore()
    try await place.write([.visitNoted(.init(guest: "Ada"))], as: VisitsV1.self)
    #expect(try place.read(AnonymousPlan.self) == [.visitNoted(.init(guest: "Ada"))])
  }

  // Promise P50.
  @Test func `a field that must be there from now on takes a rule, which gives a value or drops`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write(
      [.visitNoted(.init(guest: "Ada")), .visitNoted(.init(guest: nil))], as: VisitsV2.self)
    #expect(
      try place.read(NamedPlan.self, activating: true) == [.visitNoted(.init(guest: "Ada"))])
    let error = #expect(throws: AnnalsError.self) { try TemporaryStore().read(CarelessVisitPlan.self) }
    #expect(error?.code == .invalidPlan)
  }

  // Promise P100.
  @Test func `prepare counts missing values, and may refuse before anything is changed`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      Array(repeating: .visitNoted(.init(guest: nil)), count: 3), as: VisitsV2.self)
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try place.read(NamedPlan.self, activating: true) }
    #expect(error?.code == .ruleFailed)
    #expect(error?.underlying as? NamedPlan.TooManyNameless == .init(count: 3))
    #expect(try place.files() == files)
  }
}
