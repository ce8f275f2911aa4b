import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys

/// What `forget` reports about ids in several forms.
@Suite struct FoundKeysTests {
  @Schema(1, 0, 0) enum Members {
    @Record struct Joined: Equatable {
      var id: UUID
      @Field(personal: "id", erased: "nobody") var name: String
    }
  }
  enum Plan: SchemaMigrationPlan {
    static var stages: MigrationChain<Members, Members> {}
  }

  @Test func `forget says whether the person had keys, and finds a UUID by its own text only`() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("members.annals")
    var options = StoreOptions()
    options.keys = SubjectKeys()
    let store = try EventStore(at: url, plan: Plan.self, options: options)
    let ids = [UUID(), UUID(), UUID()]
    for id in ids { try await store.append([.joined(.init(id: id, name: "Ada"))], to: "members") }
    func names() throws -> [String] {
      try Customers.events(store).map { event in
        if case .joined(let member) = event { member.name } else { "" }
      }
    }
    let upper = try #require(
      ids.first { $0.uuidString != $0.uuidString.lowercased() }, "a UUID without letters")
    #expect(try store.forget(upper.uuidString, by: "jane", because: "request").hadKeys == false)
    #expect(try store.forget(upper.uuidString, by: "jane", because: "again").hadKeys == false)
    #expect(try names() == ["Ada", "Ada", "Ada"])
    #expect(try store.forget(ids[0], by: "jane", because: "request").hadKeys == true)
    #expect(try names() == ["nobody", "Ada", "Ada"])
    #expect(try store.forget(ids[0], by: "jane", because: "again").hadKeys == false)
    let text = ids[1].uuidString.lowercased()
    #expect(try store.log.forget(text, by: "jane", because: "request").hadKeys == true)
    #expect(try names() == ["nobody", "nobody", "Ada"])
    try await store.append([.joined(.init(id: ids[2], name: "Bob"))], to: "members")
    #expect(try store.erase(stream: "members", by: "jane", because: "request").hadKeys == nil)
  }
}
