import Annals
import AnnalsTestSupport
import Testing

/// Reads of long chains of tags follow all links of the entries that they read.
@Suite struct TagWalkTests {
  private static let tags: [EventTag] = ["a", "b", "c", "d", "e", "f"]

  private static func entry(_ tags: [EventTag] = []) -> NewEntry {
    NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  /// Appends events with tags of very different frequencies to many streams.
  private func filled(
    _ log: EventLog, entries: UInt64, _ random: inout SeededGenerator
  ) async throws -> TagModel {
    var model = TagModel()
    while model.events.count < Int(entries) {
      let stream = StreamName("stream-\(Int.random(in: 0..<300, using: &random))")
      // Runs of entries of one tag need no links to be found.
      let run = Int.random(in: 0..<9, using: &random) == 0 ? Int.random(in: 1...40, using: &random) : 1
      let first = min(Int.random(in: 0..<6, using: &random), Int.random(in: 0..<6, using: &random))
      var tags = [Self.tags[first]]
      if Bool.random(using: &random) { tags.append("f") }
      try await log.append(Array(repeating: Self.entry(tags), count: run), to: stream)
      for _ in 0..<run {
        model.events.append(
          TagModel.Event(
            position: UInt64(model.events.count) + 1, stream: stream, type: "T", tags: Set(tags)))
      }
    }
    return model
  }

  @Test(arguments: RunLength.seeds(3))
  func `tags are read from any entry to any other, in both directions`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    defer { withExtendedLifetime(place) {} }
    let log = try EventLog(at: place.url)
    let model = try await filled(log, entries: 3_000, &random)
    let last = UInt64(model.events.count)
    try log.read { (snapshot) throws in
      for round in 0..<250 {
        let items = (0..<Int.random(in: 1...2, using: &random)).map { _ in
          LogQuery.Item(
            types: Bool.random(using: &random) ? ["T"] : [],
            tags: Set(
              (0..<Int.random(in: 1...2, using: &random)).compactMap { _ in
                Self.tags.randomElement(using: &random)
              }))
        }
        let backwards = Bool.random(using: &random)
        let bounds = [
          UInt64.random(in: 1...last, using: &random), UInt64.random(in: 1...last, using: &random),
        ]
        let (start, end) = backwards ? (bounds.max(), bounds.min()) : (bounds.min(), bounds.max())
        let limit = [1, 2, 30, Int.max].randomElement(using: &random) ?? .max
        var entries = try snapshot.entries(
          matching: LogQuery(items), from: start.map { Position($0) }, through: end.map { Position($0) },
          backwards: backwards, limit: limit)
        var found: [UInt64] = []
        while let entry = try entries.next() {
          found.append(entry.position.rawValue)
          let expected = model.events[Int(entry.position.rawValue) - 1].stream
          if entry.stream != expected {
            Issue.record("seed \(seed), round \(round): \(entry.stream), not \(expected)")
          }
        }
        let expected = model.positions(
          matching: LogQuery(items), from: start, through: end, backwards: backwards, limit: limit)
        #expect(found == expected, "seed \(seed), round \(round), \(items), backwards \(backwards)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `two links that disagree about an entry are damage`(backwards: Bool) async throws {
    let place = try TemporaryStore()
    do {
      let log = try EventLog(at: place.url)
      for _ in 0..<20 { try await log.append([Self.entry(["a"])], to: "s") }
    }
    // Ordinal 5, at position 6, has a link to ordinal 4. It now leads to ordinal 3.
    let crafted = CraftedTags(url: place.url)
    var list = try crafted.list(at: 6)
    #expect(Array(list.suffix(2)) == .varints(5, 1))
    list[list.count - 1] = 2
    try crafted.put(list, at: 6)
    let log = try EventLog(at: place.url)
    let error = #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(matching: [.init(tags: ["a"])], backwards: backwards)
        while try entries.next() != nil {}
      }
    }
    #expect(error?.code == .damaged)
    let position = error?.details.position?.rawValue ?? 0
    #expect([4, 5].contains(position), "\(String(describing: error))")
  }

  @Test func `a stream without its name disturbs its own entries alone`() async throws {
    let place = try TemporaryStore()
    do {
      let log = try EventLog(at: place.url)
      for number in 0..<12 { try await log.append([Self.entry()], to: "s\(number)") }
      for number in 0..<12 { try await log.append([Self.entry(["a"])], to: "s\(number)") }
    }
    try CraftedTags(url: place.url).spoil(at: 8)
    let log = try EventLog(at: place.url)
    var found: [StreamName] = []
    let error = #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(matching: [.init(tags: ["a"])])
        while let entry = try entries.next() { found.append(entry.stream) }
      }
    }
    #expect(found == (0..<7).map { StreamName("s\($0)") })
    #expect(error?.code == .damaged)
    #expect(error?.details.position == 8)
  }
}
