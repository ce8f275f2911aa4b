import Annals
import Testing

@Schema(1, 0, 0) enum ClubV1 {
  @Record struct PlayerJoined: Equatable {
    var name: String
    var nickname: String?
  }
  @Record struct FaxReceived: Equatable { var pages: Int }
}

@Schema(2, 0, 0) enum ClubV2 {
  @Record(reserved: ["nickname"]) struct PlayerJoined: Equatable { var name: String }
}

enum ClubPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: ClubV2.self) {
      Drop(\.faxReceived, reason: "there is no fax any more")
    }
  }
}

/// It says nothing of the record that is gone.
enum ForgetfulClubPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: ClubV2.self)
  }
}

extension ClubV2.Event: Equatable {}

@Suite struct RemovalTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [.faxReceived(.init(pages: 2)), .playerJoined(.init(name: "Ada", nickname: "A"))], as: ClubV1.self)
    return place
  }

  // Promise P67.
  @Test func `a record that is gone is dropped for a reason, and its place stays taken`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: ClubPlan.self)
    try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries()
      let first = try entries.next()
      #expect(first?.event == .playerJoined(.init(name: "Ada")))
      #expect(first?.position == 2)
      #expect(first?.revision == 1)
      #expect(try entries.next() == nil)
    }
  }

  // Promise P66.
  @Test func `a plan that forgets a record is invalid and says what to write`() async throws {
    let place = try await seeded()
    let error = #expect(throws: AnnalsError.self) { try place.read(ForgetfulClubPlan.self) }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("Drop(\\.faxReceived") == true, "\(String(describing: error))")
  }

  @Test func `the values of a removed field stay in the log`() async throws {
    let place = try await seeded()
    _ = try place.read(ClubPlan.self)
    let stored = try EventLog(at: place.url).read { snapshot throws(AnnalsError) in try snapshot.entry(at: 2)
    }
    guard case .payload(let payload)? = stored?.content else {
      Issue.record("\(String(describing: stored))")
      return
    }
    #expect(try payload.value == ["name": "Ada", "nickname": "A"])
  }
}
