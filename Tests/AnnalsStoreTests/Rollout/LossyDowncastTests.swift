import Testing

@testable import Annals
@testable import AnnalsStore

/// An append alongside an older program is read back equal or refused, except for declared losses.
@Suite struct LossyDowncastTests {
  @Schema(1, 0, 0) enum Scale1 {
    @Record struct Weighed: Equatable { var pounds: Double }
  }
  @Schema(2, 0, 0, .bridge) enum Scale2 {
    @Record struct Weighed: Equatable {
      var kilograms: Double
      var note: String?
      var tare: Int?
      var isLight: Bool { kilograms < 1 }
    }
  }
  enum Plan1: SchemaMigrationPlan { static var stages: MigrationChain<Scale1, Scale1> {} }
  enum Lossy: SchemaMigrationPlan {
    static var stages: MigrationChain<Scale1, Scale2> {
      MigrationStage.custom(fromVersion: Scale1.self, toVersion: Scale2.self) {
        Upcast(\.weighed, to: \.weighed) { old, _ in .init(kilograms: old.pounds * 0.45359237) }
        Downcast(\.weighed, to: \.weighed) { new in .init(pounds: new.kilograms / 0.45359237) }
      }
    }
  }
  enum Losing: SchemaMigrationPlan {
    static var stages: MigrationChain<Scale1, Scale2> {
      MigrationStage.custom(fromVersion: Scale1.self, toVersion: Scale2.self) {
        Upcast(\.weighed, to: \.weighed) { old, _ in .init(kilograms: old.pounds * 0.45359237) }
        Downcast(\.weighed, to: \.weighed, losing: \.note, \.kilograms) { new in
          .init(pounds: new.kilograms / 0.45359237)
        }
      }
    }
  }
  enum Unstored: SchemaMigrationPlan {
    static var stages: MigrationChain<Scale1, Scale2> {
      MigrationStage.custom(fromVersion: Scale1.self, toVersion: Scale2.self) {
        Upcast(\.weighed, to: \.weighed) { old, _ in .init(kilograms: old.pounds) }
        Downcast(\.weighed, losing: \.isLight) { new in .weighed(.init(pounds: new.kilograms)) }
      }
    }
  }

  @Test func `a field that a downcast loses is refused by name, and nothing is stored`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let newer = try EventStore(at: place.url, plan: Lossy.self)
    let pound = 0.45359237
    let error = await #expect(throws: AnnalsError.self) {
      try await newer.append(
        [.weighed(.init(kilograms: pound)), .weighed(.init(kilograms: pound, note: "fasted"))], to: "a")
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.message.contains("another 'note'; name in 'losing:'") == true, "\(error?.message ?? "")")
    #expect(try older.events().isEmpty)
    try await newer.append([.weighed(.init(kilograms: pound))], to: "a")
    #expect(try newer.events() == [.weighed(.init(kilograms: pound))])
  }

  @Test func `a field that a downcast loses may be lost or rounded, and no other`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let newer = try EventStore(at: place.url, plan: Losing.self)
    func back(_ kilograms: Double) -> Double {
      let pounds = kilograms / 0.45359237
      return pounds * 0.45359237
    }
    let weights = (1...1_000).map { (number: Int) -> Double in Double(number) / 10 }
    let found = weights.first { (weight: Double) -> Bool in back(weight) != weight }
    let rounded = try #require(found)
    try await newer.append([.weighed(.init(kilograms: rounded, note: "fasted"))], to: "a")
    #expect(try newer.events() == [.weighed(.init(kilograms: back(rounded)))])
    let error = await #expect(throws: AnnalsError.self) {
      try await newer.append([.weighed(.init(kilograms: 1, note: "fasted", tare: 2))], to: "a")
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.message.contains("another 'tare'; name in 'losing:'") == true, "\(error?.message ?? "")")
    #expect(try older.events().count == 1)
  }

  @Test func `the check prints the fields that a downcast loses, and does not ask for an existing downcast`()
  {
    let text = PlanCheck(of: Losing.self).description
    #expect(
      text.contains(
        "for programs of 1.0.0: Weighed is stored as its Downcast says, and loses kilograms, note"), "\(text)"
    )
    #expect(
      text.contains(
        "~ Weighed  Upcast to Weighed  (custom; new reads old: the rule; old reads new: the Downcast)"),
      "\(text)")
    #expect(!text.contains("downcast"), "\(text)")
    #expect(PlanCheck(of: Lossy.self).stages[0].bridge?.map(\.losing) == [[]])
    #expect(PlanCheck(of: Losing.self).stages[0].bridge?.map(\.losing) == [["kilograms", "note"]])
  }

  @Test func `a downcast loses stored fields only`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(Unstored.self) }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("losing: of Downcast") == true)
  }

  @Schema(1, 0, 0) enum Trip1 {
    @Record struct Started: Equatable {
      var count: Int32
      var name: String
      var stop: Int
      var lat: Float
      var gone: String?
    }
    @Record struct Ended: Equatable { var score: Double }
  }
  @Value struct Place: Equatable { var lat: Double }
  @Schema(2, 0, 0, .bridge) enum Trip2 {
    @Record(formerly: ["Started"]) struct Begun: Equatable {
      var count: Int64
      @Field(originalName: "name") var title: String?
      var stop: [Int]
      var place: Place
      var added: Bool?
    }
    @Record struct Ended: Equatable { var points: Int? }
  }
  enum TripPlan1: SchemaMigrationPlan { static var stages: MigrationChain<Trip1, Trip1> {} }
  enum TripPlan2: SchemaMigrationPlan {
    static var stages: MigrationChain<Trip1, Trip2> {
      MigrationStage.custom(fromVersion: Trip1.self, toVersion: Trip2.self) {
        Wrap(\.begun, \.stop)
        Plunge(\.begun, into: \.place)
        Upcast(\.ended, to: \.ended) { old, _ in
          .init(points: Int(exactly: old.score.rounded()))
        }
        Downcast(\.ended, to: \.ended) { new in .init(score: Double(new.points ?? 0)) }
      }
    }
  }

  @Test func `an append alongside an older program comes back equal or is refused`() async throws {
    let seed: UInt64 = 20_261_123
    var generator = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: TripPlan1.self)
    let newer = try EventStore(at: place.url, plan: TripPlan2.self)
    var stored: [Trip2.Event] = []
    var refused = 0
    for _ in 0..<120 {
      let event: Trip2.Event
      if Bool.random(using: &generator) {
        let points = [nil, 0, 5, -7, Int.max, 1 << 53, (1 << 53) + 1].randomElement(using: &generator)
        event = .ended(.init(points: points ?? nil))
      } else {
        event = .begun(
          .init(
            count: [0, 3, -1, Int64(Int32.max), Int64(Int32.max) + 1].randomElement(using: &generator) ?? 0,
            title: ["", "a", "b", nil].randomElement(using: &generator) ?? nil,
            stop: [[1], [2], [3], [], [1, 2]].randomElement(using: &generator) ?? [],
            place: .init(lat: [0.5, 1, 0.1, .infinity].randomElement(using: &generator) ?? 0),
            added: [nil, nil, nil, true].randomElement(using: &generator) ?? nil))
      }
      do throws(AnnalsError) {
        try await newer.append([event], to: "a")
        stored.append(event)
      } catch {
        #expect(error.code == .unrepresentable, "seed \(seed): \(error)")
        refused += 1
      }
    }
    #expect(try newer.events() == stored, "seed \(seed)")
    #expect(try older.events().count == stored.count, "seed \(seed)")
    #expect(refused > 20 && stored.count > 20, "seed \(seed): \(refused) refused, \(stored.count) stored")
  }
}

extension LossyDowncastTests.Scale1.Event: Equatable {}
extension LossyDowncastTests.Scale2.Event: Equatable {}
extension LossyDowncastTests.Trip1.Event: Equatable {}
extension LossyDowncastTests.Trip2.Event: Equatable {}
