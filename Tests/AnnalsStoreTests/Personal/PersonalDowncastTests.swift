import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsSchema
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Personal fields of records that a `Downcast` stores as the older version.
@Suite struct PersonalDowncastTests {
  @Schema(1, 0, 0) enum Old {
    @Record struct Traded: Equatable {
      var buyer: String
      var seller: String
      var cents: Int
      @Field(personal: "buyer", erased: "nowhere") var address: String
      @Field(personal: "buyer", erased: "none") var phone: String
    }
    @Record struct Rumoured: Equatable {
      var buyer: String
      var seller: String
      var cents: Int
      var address: String
      var phone: String
    }
  }
  /// The phone belongs to the seller.
  @Schema(2, 0, 0, .bridge) enum OfSeller {
    typealias Rumoured = Old.Rumoured

    @Record struct Traded: Equatable {
      var buyer: String
      var seller: String
      var euros: Int
      @Field(personal: "buyer", erased: "gone") var address: String
      @Field(personal: "seller", erased: "gone") var phone: String
    }
  }
  @Schema(2, 0, 0, .bridge) enum Renamed {
    typealias Rumoured = Old.Rumoured

    @Record struct Traded: Equatable {
      @Field(originalName: "buyer") var customer: String
      var seller: String
      var euros: Int
      @Field(personal: "customer", erased: "gone") var place: String
      @Field(personal: "customer", erased: "gone") var phone: String
    }
  }
  /// Nothing says whether the customer is the buyer or the seller.
  @Schema(2, 0, 0, .bridge) enum Unclear {
    typealias Rumoured = Old.Rumoured

    @Record struct Traded: Equatable {
      var customer: String
      var seller: String
      var euros: Int
      @Field(personal: "customer", erased: "gone") var address: String
      @Field(personal: "customer", erased: "gone") var phone: String
    }
  }

  enum OldPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Old> {}
  }
  enum ToSeller: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, OfSeller> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: OfSeller.self) {
        Upcast(\.traded, to: \.traded) { old, _ in
          .init(
            buyer: old.buyer, seller: old.seller, euros: old.cents / 100, address: old.address,
            phone: old.phone)
        }
        Downcast(\.traded, to: \.traded) { new in
          .init(
            buyer: new.buyer, seller: new.seller, cents: new.euros * 100, address: new.address,
            phone: new.phone)
        }
      }
    }
  }
  /// The downcast keeps a value that the plan calls lost.
  enum Keeping: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, OfSeller> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: OfSeller.self) {
        Upcast(\.traded, to: \.traded) { old, _ in
          .init(
            buyer: old.buyer, seller: old.seller, euros: old.cents / 100, address: old.address,
            phone: old.phone)
        }
        Downcast(\.traded, to: \.traded, losing: \.phone) { new in
          .init(
            buyer: new.buyer, seller: new.seller, cents: new.euros * 100, address: new.address,
            phone: new.phone)
        }
      }
    }
  }
  enum Renaming: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Renamed> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Renamed.self) {
        Upcast(\.traded, to: \.traded) { old, _ in
          .init(
            customer: old.buyer, seller: old.seller, euros: old.cents / 100, place: old.address,
            phone: old.phone)
        }
        Downcast(\.traded, to: \.traded) { new in
          .init(
            buyer: new.customer, seller: new.seller, cents: new.euros * 100, address: new.place,
            phone: new.phone)
        }
      }
    }
  }
  enum Guessing: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Unclear> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Unclear.self) {
        Upcast(\.traded, to: \.traded) { old, _ in
          .init(
            customer: old.buyer, seller: old.seller, euros: old.cents / 100, address: old.address,
            phone: old.phone)
        }
        Downcast(\.traded, to: \.traded) { new in
          .init(
            buyer: new.customer, seller: new.seller, cents: new.euros * 100, address: new.address,
            phone: new.phone)
        }
      }
    }
  }

  @Test func `a downcast may not store a value with the key of another person`() throws {
    for error in [
      #expect(throws: AnnalsError.self) { _ = try CompiledPlan(ToSeller.self) },
      #expect(throws: AnnalsError.self) { _ = try CompiledPlan(Guessing.self) },
    ] {
      #expect(error?.code == .invalidPlan)
      #expect(error?.message.contains("`phone` would not be encrypted there with the key of") == true)
      #expect(error?.message.contains("write @Field(originalName: \"…\") at the id") == true)
    }
    _ = try CompiledPlan(Renaming.self)
  }

  /// A store with a trade of the older version, opened with a newer plan while the older program is open.
  private func expanding<Plan: SchemaMigrationPlan, Result>(
    _ plan: Plan.Type, _ body: (EventStore<Plan>) async throws -> Result
  ) async throws -> Result {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("trades.annals")
    let keys = MemoryKeys()
    let old = try EventStore(at: url, plan: OldPlan.self, options: keys.options)
    try await old.append(
      [.traded(.init(buyer: "ada", seller: "bob", cents: 100, address: "street", phone: "1"))], to: "a")
    let result = try await body(try EventStore(at: url, plan: plan, options: keys.options))
    withExtendedLifetime(old) {}
    return result
  }

  @Test func `the replacements of one person excuse no value of another`() async throws {
    try await expanding(Keeping.self) { store in
      try store.forget("ada", by: "jane", because: "request")
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append(
          [.traded(.init(buyer: "ada", seller: "bob", euros: 2, address: "gone", phone: "secret"))],
          to: "a")
      }
      #expect(error?.code == .subjectForgotten)
    }
  }

  @Test func `replacements are accepted also where the older version has another name for a field`()
    async throws
  {
    try await expanding(Renaming.self) { store in
      try await store.append(
        [.traded(.init(customer: "ada", seller: "bob", euros: 2, place: "street", phone: "1"))], to: "a")
      try store.forget("ada", by: "jane", because: "request")
      try await store.append(
        [.traded(.init(customer: "ada", seller: "bob", euros: 3, place: "gone", phone: "gone"))], to: "a")
      for (place, phone) in [("late", "gone"), ("gone", "late"), ("nowhere", "none")] {
        let error = await #expect(throws: AnnalsError.self) {
          try await store.append(
            [.traded(.init(customer: "ada", seller: "bob", euros: 4, place: place, phone: phone))], to: "a")
        }
        #expect(error?.code == .subjectForgotten)
      }
      let places = try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        var places: [String] = []
        while let entry = try entries.next() {
          if case .traded(let trade) = entry.event { places.append("\(trade.place) \(trade.phone)") }
        }
        return places
      }
      #expect(places == ["nowhere none", "nowhere none", "gone gone"])
    }
  }

  /// The downcast chooses the older record for each event.
  enum Choosing: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Wide> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Wide.self) {
        Upcast(\.traded, to: \.traded) { old, _ in
          .init(buyer: old.buyer, euros: old.cents / 100, phone: old.phone)
        }
        Upcast(\.rumoured, to: \.traded) { old, _ in
          .init(buyer: old.buyer, euros: old.cents / 100, phone: old.phone.isEmpty ? nil : old.phone)
        }
        Downcast(\.traded) { new in
          guard let phone = new.phone, new.euros > 0 else {
            return .rumoured(
              .init(
                buyer: new.buyer, seller: "", cents: new.euros * 100, address: "", phone: new.phone ?? ""))
          }
          return .traded(
            .init(buyer: new.buyer, seller: "", cents: new.euros * 100, address: "", phone: phone))
        }
      }
    }
  }
  @Schema(2, 0, 0, .bridge) enum Wide {
    @Record struct Traded: Equatable {
      var buyer: String
      var euros: Int
      @Field(personal: "buyer", erased: "gone") var phone: String?
    }
  }

  @Test func `a downcast may not choose a record that has a value in the clear`() async throws {
    try await expanding(Choosing.self) { store in
      try await store.append([.traded(.init(buyer: "ada", euros: 2, phone: "1"))], to: "a")
      try await store.append([.traded(.init(buyer: "ada", euros: 0, phone: nil))], to: "a")
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([.traded(.init(buyer: "ada", euros: 0, phone: "secret"))], to: "a")
      }
      #expect(error?.code == .unrepresentable)
      #expect(error?.message.contains("makes a 'Rumoured' of it, where 'phone' would not be") == true)
    }
  }
}
