import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// Rules: the old value is in hand, and no error of theirs is lost.
@Suite struct RuleContractTests {
  /// A store whose third entry a rule refuses.
  private func seeded() async throws -> EventStore<YearPlan> {
    let place = try TemporaryStore()
    let first = try EventStore(at: place.url, plan: FirstPlan.self)
    for text in ["1994", "1995-03-04", "soon", "2001"] {
      try await first.append([.released(.init(title: "A Film", date: text))], to: "films")
    }
    return try EventStore(at: place.url, plan: YearPlan.self)
  }

  // Promise P75.
  @Test func `a rule makes the new value from the old one, and no placeholder is ever seen`() async throws {
    let store = try await seeded()
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(limit: 2)
      #expect(
        try entries.next()?.event == .released(.init(title: "A Film", year: 1994, said: "1994 in films 0")))
      #expect(
        try entries.next()?.event
          == .released(.init(title: "A Film", year: 1995, said: "1995-03-04 in films 1")))
    }
  }

  // Promise P107.
  @Test func `a rule that throws stops the reader at that entry and says where, what, which step and why`()
    async throws
  {
    let store = try await seeded()
    let error = #expect(throws: AnnalsError.self) { try store.delivered() }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 3)
    #expect(error?.details.stream == "films")
    #expect(error?.details.revision == 2)
    #expect(error?.details.type == "Released")
    #expect(error?.details.version == SchemaVersion(1, 0, 0))
    #expect(error?.underlying as? YearPlan.NoYear == YearPlan.NoYear())
    #expect(
      error?.message
        == "position 3, stream 'films', revision 2: 'Released' of version 1.0.0: the rule for 'Released' in stage 1.0.0 to 2.0.0 threw NoYear"
    )
  }

  // Promise P108.
  @Test func `entries before one that a rule refuses are delivered`() async throws {
    let store = try await seeded()
    var read = 0
    #expect(throws: AnnalsError.self) {
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        while try entries.next() != nil { read += 1 }
      }
    }
    #expect(read == 2)
  }

  // Promise P109.
  @Test(arguments: [false, true])
  func `every way to read stops there, every time`(backwards: Bool) async throws {
    let store = try await seeded()
    for _ in 0..<2 {
      for stream in [nil, "films"] as [StreamName?] {
        let error = #expect(throws: AnnalsError.self) {
          try store.delivered(in: stream, backwards: backwards)
        }
        #expect(error?.code == .ruleFailed)
        #expect(error?.details.position == 3)
      }
    }
  }

  @Test func `an entry that a rule refuses can be seen as it is stored`() async throws {
    let store = try await seeded()
    let entry = try store.log.read { (log) throws(AnnalsError) in try log.entry(at: 3) }
    guard case .payload(let payload) = entry?.content else {
      Issue.record("\(String(describing: entry))")
      return
    }
    #expect(try payload.value["date"] == .text("soon"))
  }

  @Test func `no message of a rule's failure holds anything of the payload`() async throws {
    let store = try await seeded()
    let error = #expect(throws: AnnalsError.self) { try store.delivered() }
    #expect(error.map { "\($0)".contains("soon") || "\($0)".contains("A Film") } == false)
  }
}

@Schema(1, 0, 0) private enum Films1 {
  fileprivate struct Released: Record, Codable {
    var title: String
    var date: String
  }
}
@Schema(2, 0, 0) private enum Films2 {
  fileprivate struct Released: Record, Codable, Equatable {
    var title: String
    var year: Int
    var said: String
  }
}
extension Films2.Event: Equatable {}

private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, Films1> {}
}

/// A date's year becomes a number.
private enum YearPlan: SchemaMigrationPlan {
  struct NoYear: Error, Equatable {}

  static var stages: MigrationChain<Films1, Films2> {
    MigrationStage.custom(fromVersion: Films1.self, toVersion: Films2.self) {
      Upcast(\.released, to: \.released) { old, origin in
        guard let year = Int(old.date.prefix(4)) else { throw NoYear() }
        return .init(title: old.title, year: year, said: "\(old.date) in \(origin.stream) \(origin.revision)")
      }
    }
  }
}
