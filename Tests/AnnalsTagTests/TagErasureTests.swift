import Annals
import Testing

/// Erasing what a query matches.
@Suite struct TagErasureTests {
  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 4)))
  func `an untyped query erases the events that a model gives, and the other chains stay`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    var model = TagModel()
    let payload = try Payload(["n": 1])
    for round in 0..<3 {
      for _ in 0..<60 {
        let type = TagSamples.types.randomElement(using: &random) ?? ""
        let tags = TagSamples.tags(using: &random)
        let added = try await log.append(
          [NewEntry(type: type, version: nil, payload: payload, tags: Array(tags))], to: "events")
        model.events.append(
          TagModel.Event(position: added.positions[0].rawValue, stream: "events", type: type, tags: tags))
      }
      let query: LogQuery = [.init(types: ["Enrolled", "Left"], tags: [TagSamples.tags[round]])]
      let expected = model.positions(matching: query)
      let report = try log.erase(matching: query, by: "jane", because: "seed \(seed)")
      #expect(report.entries == UInt64(expected.count) && !expected.isEmpty, "seed \(seed), round \(round)")
      model.events = model.events.map { event in
        var event = event
        if expected.contains(event.position) { event.isErased = true }
        return event
      }
      for tag in TagSamples.tags {
        let query: LogQuery = [.init(tags: [tag])]
        let found = try log.read { snapshot in
          var entries = try snapshot.entries(matching: query)
          var found: [UInt64] = []
          while let entry = try entries.next() { found.append(entry.position.rawValue) }
          return found
        }
        #expect(found == model.positions(matching: query), "seed \(seed), round \(round), \(tag)")
      }
      #expect(try log.erase(matching: query, by: "jane", because: "again").recorded.isEmpty)
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
    }
    #expect(throws: AnnalsError.self) {
      try log.erase(matching: [.init(tags: [""])], by: "jane", because: "no tag")
    }
  }

  @Test func `a typed query erases what upcasting makes a match, a split entry as a whole`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: TagCoursesFirst.self)
      try await store.append(
        [
          NewEvent(.enrolled(.init(course: "c1", student: 1))),
          NewEvent(.planned(.init(rooms: ["a", "b"])), tags: ["course:c1"]),
          NewEvent(.enrolled(.init(course: "c2", student: 1))),
          NewEvent(.left(.init(course: "c1", student: 1))),
        ], to: "events")
    }
    let store = try EventStore(at: place.url, plan: TagCoursesPlan.self)
    let query = EventQuery<TagCoursesV2.Event>([\.seatTaken, \.roomPlanned], tags: ["course:c1"])
    #expect(try store.erase(matching: query, by: "jane", because: "request 7").entries == 2)
    let left = try store.read { snapshot in
      var entries = try snapshot.entries()
      var left: [Position] = []
      while let entry = try entries.next() { left.append(entry.position) }
      return left
    }
    #expect(left == [3, 4])
    #expect(try store.erase(matching: query, by: "jane", because: "request 7").entries == 0)
    let leaving: EventQuery<TagCoursesV2.Event> = [\.left]
    #expect(try store.erase(matching: leaving, by: "jane", because: "request 8").entries == 1)
  }

  @Test func `a store with inline projections needs its plan, which then folds the rows again`() async throws
  {
    let place = try TemporaryStore()
    let query: LogQuery = [.init(types: ["Enrolled"], tags: ["student:1"])]
    do {
      let store = try EventStore(at: place.url, plan: TagCoursesFirst.self, inline: [TakenSeats.self])
      try await store.append(
        [
          .enrolled(.init(course: "c1", student: 1)), .enrolled(.init(course: "c1", student: 2)),
        ], to: "events")
      let refused = #expect(throws: AnnalsError.self) {
        try EventLog(at: place.url).erase(matching: query, by: "jane", because: "request 7")
      }
      #expect(refused?.code == .needsPlan)
      func taken() throws -> Int? {
        try store.read { (snapshot) throws(AnnalsError) in
          try snapshot.inline(TakenSeats.self).get(TakenSeats.Seats.self, "c1")?.taken
        }
      }
      #expect(try taken() == 2)
      let report = try store.erase(
        matching: EventQuery([\.enrolled], tags: ["student:1"]), by: "jane", because: "request 7")
      #expect(report.entries == 1)
      #expect(try taken() == 1)
    }
  }
}
