import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// What was weighed last in each stream, as the program of the first version folds it.
private enum WeighedFirst: InlineProjection {
  typealias Event = BridgeWeights1.Event
  @Record struct Weight: ProjectionRow {
    var stream: String
    var kilograms: Double
    var key: String { stream }
  }

  static let name = "weights"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Weight.self)] }
  static var events: EventSelection<Event> { [\.weighed] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .weighed(let weighed) = entry.event else { return }
    if weighed.pounds > 800 { throw Rejection("nobody weighs that much") }
    try rows.put(Weight(stream: entry.stream.text, kilograms: weighed.pounds / 2))
  }
}

/// The same of the second version's events.
private enum WeighedSecond: InlineProjection {
  typealias Event = BridgeWeights2.Event
  @Record struct Weight: ProjectionRow {
    var stream: String
    var kilograms: Double
    var key: String { stream }
  }

  static let name = "weights"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Weight.self)] }
  static var events: EventSelection<Event> { [\.weighed] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .weighed(let weighed) = entry.event else { return }
    if weighed.kilograms > 400 { throw Rejection("nobody weighs that much") }
    try rows.put(Weight(stream: entry.stream.text, kilograms: weighed.kilograms))
  }
}

struct InlineRolloutTests {
  @Test("programs of two versions fold the same rows, also from what is stored in the older form")
  func rollout() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self, inline: [WeighedFirst.self])
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self, inline: [WeighedSecond.self])
    try await newer.append([.weighed(.init(kilograms: 80))], to: "a")
    try await older.append([.weighed(.init(pounds: 100, note: "n"))], to: "b")
    try await newer.append([.weighed(.init(kilograms: 70)), .walked(.init(steps: 9))], to: "b")
    #expect(try newer.log.storedKinds().allSatisfy { $0.hasSuffix("1.0.0") })
    for (kilograms, code) in [(450.0, AnnalsError.Code.rejected), (-1, .unrepresentable)] {
      let error = await #expect(throws: AnnalsError.self) {
        try await newer.append([.weighed(.init(kilograms: kilograms))], to: "c")
      }
      #expect(error?.code == code)
    }
    try expectAgreement(older)
    try expectAgreement(newer)
    let weight = try newer.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(WeighedSecond.self).get(WeighedSecond.Weight.self, "b")?.kilograms
    }
    #expect(weight == 70)
    #expect(try EventLog.verify(place.url).isClean)
  }
}
