import Annals
import Testing

@testable import AnnalsLog

/// Queries and conditions on random logs, compared with a model in memory.
@Suite struct TagPropertyTests {
  private static let payload = Payload(stored: [0xa1, 0x61, 0x6e, 0x07])

  private static func event(_ type: String, _ tags: Set<EventTag>, _ random: inout SeededGenerator)
    -> NewEntry
  {
    NewEntry(
      type: type, version: SchemaVersion(1, 0, 0), payload: payload,
      tags: Array(tags).shuffled(using: &random))
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 8)))
  func `queries and conditions give what a model says, through erasures, reopening and passes`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    defer { withExtendedLifetime(place) {} }
    var random = SeededGenerator(seed: seed)
    var model = TagModel()
    var options = StoreOptions()
    options.mergeInterval = HeadMerge.Interval(entries: 32)
    var reading = options
    reading.access = .readOnly
    for round in 0..<4 {
      let log = try EventLog(at: place.url, options: options)
      let other = try EventLog(at: place.url, options: reading)
      for step in 0..<60 {
        let at: Comment = "seed \(seed), round \(round), step \(step)"
        try await append(log, &model, &random, at)
        if step % 6 == 0 { try read(step % 12 == 0 ? other : log, model, &random, at) }
        if step % 20 == 19, let event = model.events.filter({ !$0.isErased }).randomElement(using: &random) {
          try log.erase([Position(event.position)], by: "test", because: "seed \(seed)")
          model.events = model.events.map { $0.position == event.position ? Self.erased($0) : $0 }
          // The erasure is recorded by an entry of its own.
        }
      }
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
      if round % 2 == 1 { _ = try await log.compact().report() }
      try read(log, model, &random, "seed \(seed), round \(round), at the end")
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
    }
  }

  private static func erased(_ event: TagModel.Event) -> TagModel.Event {
    var event = event
    event.isErased = true
    return event
  }

  /// Appends some events, mostly with a condition.
  private func append(
    _ log: EventLog, _ model: inout TagModel, _ random: inout SeededGenerator, _ at: Comment
  ) async throws {
    let stream = StreamName("stream-\(Int.random(in: 0..<3, using: &random))")
    var new: [TagModel.Event] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      new.append(
        TagModel.Event(
          position: 0, stream: stream, type: TagSamples.types.randomElement(using: &random) ?? "",
          tags: TagSamples.tags(using: &random)))
    }
    var events: [NewEntry] = []
    for event in new { events.append(Self.event(event.type, event.tags, &random)) }
    let head = try log.read { snapshot throws(AnnalsError) in try snapshot.head() }?.rawValue ?? 0
    var added: Appended?
    if Bool.random(using: &random) {
      let query = TagSamples.query(using: &random)
      let after = Bool.random(using: &random) ? UInt64.random(in: 0...head, using: &random) : nil
      let expected = model.firstMatch(of: query, after: after)
      do {
        added = try await log.append(events, to: stream, unless: query, after: after.map { Position($0) })
        #expect(expected == nil, at)
      } catch {
        #expect(error.code == .conflict && error.details.position?.rawValue == expected, at)
        #expect(expected != nil, at)
      }
    } else {
      added = try await log.append(events, to: stream)
    }
    guard let added else { return }
    for (index, position) in added.positions.enumerated() {
      new[index].position = position.rawValue
      model.events.append(new[index])
    }
  }

  /// Compares random reads with the model.
  private func read(
    _ log: EventLog, _ model: TagModel, _ random: inout SeededGenerator, _ at: Comment
  ) throws {
    try log.read { snapshot in
      let head = try snapshot.head()?.rawValue ?? 0
      for _ in 0..<20 {
        let query = TagSamples.query(using: &random)
        func some(_ random: inout SeededGenerator) -> UInt64? {
          Int.random(in: 0..<3, using: &random) == 0 ? UInt64.random(in: 0...head + 1, using: &random) : nil
        }
        let (after, start, end) = (some(&random), some(&random), some(&random))
        let backwards = Bool.random(using: &random)
        let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 0...5, using: &random)
        var found: [UInt64] = []
        var entries = try snapshot.entries(
          matching: query, after: after.map { Position($0) }, from: start.map { Position($0) },
          through: end.map { Position($0) }, backwards: backwards, limit: limit)
        while let entry = try entries.next() {
          found.append(entry.position.rawValue)
          #expect(Set(entry.tags) == model.events.first { $0.position == entry.position.rawValue }?.tags, at)
          #expect(entry.tags == entry.tags.sorted(), at)
        }
        let expected = model.positions(
          matching: query, after: after, from: start, through: end, backwards: backwards, limit: limit)
        #expect(
          found == expected,
          "\(at): \(query), after \(String(describing: after)), from \(String(describing: start)), through \(String(describing: end)), backwards \(backwards), limit \(limit)"
        )
      }
    }
  }
}
