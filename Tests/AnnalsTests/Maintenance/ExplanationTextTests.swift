import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Schema(1, 0, 0) private enum VisitsV1 {
  @Record fileprivate struct Visited {
    var guest: UUID
    var at: Date
    var stops: [Date]
    var until: Date?
  }
}
@Schema(2, 0, 0) private enum VisitsV2 {
  @Value fileprivate struct Stay {
    var from: Date
    var until: Date?
  }
  @Record fileprivate struct Visited {
    var guest: UUID
    var stay: Stay
    var stops: [Date]
  }
}
private enum VisitPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<VisitsV1, VisitsV2> {
    MigrationStage.custom(fromVersion: VisitsV1.self, toVersion: VisitsV2.self) {
      Upcast(\.visited, to: \.visited) { old, _ in
        .init(guest: old.guest, stay: .init(from: old.at, until: old.until), stops: old.stops)
      }
    }
  }
}
private enum FirstVisitPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<VisitsV1, VisitsV1> {}
}

/// The texts of explanations and of reports of roll-outs, which people read and scripts may keep.
@Suite struct ExplanationTextTests {
  @Test func `an explanation shows dates as ISO 8601 and UUIDs as UUIDs, at every version`() async throws {
    let place = try TemporaryStore()
    let guest = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let visit = VisitsV1.Visited(
      guest: guest, at: Date(timeIntervalSinceReferenceDate: 0.5),
      stops: [Date(timeIntervalSinceReferenceDate: 86_400)], until: nil)
    do {
      let store = try EventStore(at: place.url, plan: FirstVisitPlan.self)
      try await store.append([.visited(visit)], to: "visits")
    }
    let explanation = try EventStore(at: place.url, plan: VisitPlan.self).explain(1)
    let lines = explanation.description.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "position  1")
    #expect(lines.dropFirst().first == "stream    visits, revision 0")
    let id = "01020304-0506-0708-090a-0b0c0d0e0f10"
    let (half, day) = ("2001-01-01T00:00:00.500000Z", "2001-01-02T00:00:00.000000Z")
    #expect(
      lines.dropFirst(5).joined(separator: "\n") == """
          kind 1: Visited, version 1.0.0, by shape
            (guest: uuid, at: date, stops: [date], until: date?)
          Visited {"at":"\(half)","guest":"\(id)","stops":["\(day)"]}

        1.0.0 -> 2.0.0
          Visited: Upcast
            + stay: (from: date, until: date?)
            - at: date
            - until: date?

        now, version 2.0.0
          Visited {"stay":{"from":"\(half)"},"guest":"\(id)","stops":["\(day)"]}
        """, "\(explanation)")
  }

  @Test func `a contract report lists obstacles, losses and actions`() {
    var report = ContractReport(
      version: SchemaVersion(2, 0, 0), phase: .active, older: [], quarantined: 2, olderPrograms: [],
      dropped: [.init(type: "Pinged", version: SchemaVersion(1, 0, 0), count: 7)],
      retained: [
        CensusLine(
          type: "Faxed", version: SchemaVersion(1, 0, 0), isByShape: true, count: 3, bytes: 9, stubs: 0,
          quarantined: 0, first: 1, oldestReader: nil)
      ],
      removedFields: [.init(version: SchemaVersion(1, 0, 0), type: "Visited", field: "until")],
      convertedFields: [],
      contexts: [SchemaVersion(2, 0, 0)])
    let start = """
      version 2.0.0 was active
      set aside    2
      dropped      7 'Pinged' of version 1.0.0
      retained     3 'Faxed' of version 1.0.0, as they are stored
      removed      field 'until' of 'Visited' of version 1.0.0
      worked out   for the stage to 2.0.0

      """
    #expect("\(report)" == start + "nothing was changed; --confirm 7 confirms what is lost for good")
    report.isContracted = true
    #expect("\(report)" == start + "versions below 2.0.0 are given up")
  }

  @Test(arguments: [
    (RolloutPhase.present, true, "stored", "it is active now: older programs append nothing any more"),
    (.absent, false, "not stored yet", "nothing was changed"),
    (.active, false, "active", "it was active already"),
    (
      .contracted, false, "contracted: older versions are given up", "it was active already"
    ),
  ])
  func `an activation report lists the earlier state, older programs and actions`(
    phase: RolloutPhase, isActivated: Bool, was: String, done: String
  ) {
    let report = ActivationReport(
      version: SchemaVersion(2, 0, 0), phase: phase, olderEvents: 3,
      olderPrograms: [LiveProgram(version: SchemaVersion(1, 0, 0), process: 7)], isActivated: isActivated)
    #expect(
      "\(report)" == """
        version 2.0.0 was \(was)
        3 events of older versions, which are upcast as they are read
        older: process 7, which reads up to 1.0.0
        \(done)
        """)
  }
}
