import Annals
import Testing

@Schema(1, 0, 0) enum PeopleV1 {
  @Record struct PersonRegistered: Equatable {
    var name: String
    var street: String?
    var groups: Set<String>
  }
}

@Schema(2, 0, 0) enum PeopleV2 {
  @Record struct PersonNamed: Equatable { var name: String }
  @Record struct AddressGiven: Equatable { var street: String }
  @Record struct GroupJoined: Equatable { var group: String }
}

enum PeoplePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PeopleV1, PeopleV2> {
    MigrationStage.custom(fromVersion: PeopleV1.self, toVersion: PeopleV2.self) {
      Split(\.personRegistered, into: [\.personNamed, \.addressGiven, \.groupJoined]) { old, _ in
        var parts: [PeopleV2.Event] = [.personNamed(.init(name: old.name))]
        if let street = old.street { parts.append(.addressGiven(.init(street: street))) }
        // A set has another order in every process.
        for group in old.groups.sorted() { parts.append(.groupJoined(.init(group: group))) }
        return parts
      }
    }
  }
}

extension PeopleV2.Event: Equatable {}

@Suite struct SplitRecordTests {
  // Promise P88.
  @Test func `one record becomes several, in an order that is the same in every process`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      [.personRegistered(.init(name: "Ada", street: "Mill Lane", groups: ["rowing", "chess", "choir"]))],
      as: PeopleV1.self)
    #expect(
      try place.read(PeoplePlan.self) == [
        .personNamed(.init(name: "Ada")), .addressGiven(.init(street: "Mill Lane")),
        .groupJoined(.init(group: "chess")), .groupJoined(.init(group: "choir")),
        .groupJoined(.init(group: "rowing")),
      ])
  }
}
