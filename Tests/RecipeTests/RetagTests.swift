import Annals
import AnnalsTestSupport
import Foundation
import Testing

@Schema(1, 0, 0) enum LoansV1 {
  @Record struct BookLent: Equatable {
    @Field(tag: "book") var book: String
    @Field(tag: "reader") var reader: String
  }
  @Record struct BookReturned: Equatable {
    @Field(tag: "book") var book: String
  }
}

@Schema(2, 0, 0) enum LoansV2 {
  typealias BookLent = LoansV1.BookLent
  typealias BookReturned = LoansV1.BookReturned
}

enum LoanPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LoansV1, LoansV2> {
    MigrationStage.custom(fromVersion: LoansV1.self, toVersion: LoansV2.self) {
      Retag(\.bookLent)
    }
  }
}

/// The same records before readers were tags.
@Schema(1, 0, 0) enum OldLoansV1 {
  @Record struct BookLent: Equatable {
    @Field(tag: "book") var book: String
    var reader: String
  }
  @Record struct BookReturned: Equatable {
    @Field(tag: "book") var book: String
  }
}

enum OldLoanPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OldLoansV1, OldLoansV1> {}
}

@Suite struct RetagTests {
  private func lent(_ store: EventStore<LoanPlan>, to reader: String) throws -> [Position] {
    try store.read { snapshot in
      var found: [Position] = []
      var entries = try snapshot.entries(
        matching: EventQuery([\.bookLent], tags: [EventTag("reader", reader)]))
      while let entry = try entries.next() { found.append(entry.position) }
      return found
    }
  }

  @Test func `a field becomes a tag of older events with a pass, and of new ones at once`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: OldLoanPlan.self)
      try await store.append(
        [
          NewEvent(.bookLent(.init(book: "Emma", reader: "ann")), tags: ["desk:2"]),
          NewEvent(.bookReturned(.init(book: "Emma"))),
          NewEvent(.bookLent(.init(book: "Emma", reader: "ben"))),
        ], to: "loans")
    }
    let store = try EventStore(at: place.url, plan: LoanPlan.self)
    try await store.append([.bookLent(.init(book: "Ulysses", reader: "ann"))], to: "loans")
    #expect(try lent(store, to: "ann") == [4])
    var options = MigrationOptions()
    options.isRehearsal = true
    #expect(try await store.migrate(options).report().retagged == 2)
    #expect(try await store.migrate().report().retagged == 2)
    #expect(try lent(store, to: "ann") == [1, 4])
    #expect(try lent(store, to: "ben") == [3])
    let tags = try store.read { snapshot in
      var entries = try snapshot.entries()
      return try entries.next()?.tags
    }
    #expect(tags == ["book:Emma", "desk:2", "reader:ann"])
    #expect(try await !store.migrate().report().isDone)
  }
}
