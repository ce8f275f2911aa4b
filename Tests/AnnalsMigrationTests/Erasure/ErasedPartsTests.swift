import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum PartyV1 {
  @Record struct Planned {
    var guests: Int
    var isLoud: Bool
  }
}

@Schema(2, 0, 0) enum PartyV2 {
  @Record struct Invited { var number: Int }
  @Record struct Warned { var guests: Int }
}

enum FirstParties: SchemaMigrationPlan {
  static var stages: MigrationChain<PartyV1, PartyV1> {}
}

/// A plan becomes invitations, and a warning of the neighbours if it is a loud one.
enum Parties: SchemaMigrationPlan {
  static var stages: MigrationChain<PartyV1, PartyV2> {
    MigrationStage.custom(fromVersion: PartyV1.self, toVersion: PartyV2.self) {
      Split(\.planned, into: [\.invited, \.warned]) { old, _ in
        (0..<old.guests).map { .invited(.init(number: $0)) }
          + (old.isLoud ? [.warned(.init(guests: old.guests))] : [])
      }
    }
  }
}

/// Entries with parts of several kinds, of which a stub has one.
@Suite struct ErasedPartsTests {
  /// What makes a stub of the first entry.
  enum Removal: CaseIterable {
    case erasure, truncation, both
  }

  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
  }

  /// A store whose first entry has the first events of both kinds, and is gone.
  ///
  /// - Parameter isAlone: Whether no other entry has the second kind.
  private func store(_ removal: Removal, isAlone: Bool) async throws -> EventStore<Parties> {
    do {
      let store = try EventStore(at: place.url, plan: FirstParties.self)
      for number in 0..<4 {
        try await store.append(
          [.planned(.init(guests: 2, isLoud: number == 0 || !isAlone && number == 2))], to: "parties")
      }
    }
    let store = try EventStore(at: place.url, plan: Parties.self)
    #expect(try await store.migrate().report().isDone)
    if removal != .erasure { try await store.truncate("parties", before: 1) }
    if removal != .truncation { try store.erase([1], by: "jane", because: "request") }
    return store
  }

  private func check(_ at: Comment) throws {
    let report = try EventLog.verify(place.url)
    #expect(report.isClean, "\(at): \(report.findings)")
  }

  @Test(arguments: Removal.allCases, [true, false])
  func `a pass without a plan knows every kind of an entry that became a stub`(
    removal: Removal, isAlone: Bool
  ) async throws {
    let store = try await store(removal, isAlone: isAlone)
    try check("removed")
    for _ in 0..<2 {
      #expect(try await store.log.compact().report().isDone)
      try check("copied")
    }
    try await store.append([.warned(.init(guests: 7))], to: "parties")
    try check("appended")
    let events = try store.read { snapshot in
      var events = 0
      try snapshot.entries().forEach { _ in events += 1 }
      return events
    }
    #expect(events == (isAlone ? 7 : 8))
    // No other kind gets the number of the one that may have no events left.
    let entry = NewEntry(type: "Other", version: nil, payload: try Payload(["n": 1]))
    try await store.log.append([entry], to: "others")
    try check("another kind")
    #expect(try await store.log.compact().report().isDone)
    try check("another kind, copied")
  }
}
