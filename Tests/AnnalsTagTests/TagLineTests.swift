import Annals
import Foundation
import Testing

/// Tags in lines of JSON: out of a log, and into one.
@Suite struct TagLineTests {
  private func lines(_ log: EventLog, _ selection: EntrySelection = EntrySelection()) throws -> [String] {
    var lines = try EntryLines(log, selection)
    var bytes: [UInt8] = []
    while let page = try lines.nextPage() { bytes += page }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @discardableResult
  private func load(
    _ lines: [String], into log: EventLog, _ options: ImportOptions = ImportOptions()
  ) async throws(AnnalsError) -> ImportReport {
    var rest: [UInt8]? = Array(lines.joined(separator: "\n").utf8)
    return try await log.importLines(options) { () throws(AnnalsError) in
      defer { rest = nil }
      return rest
    }
  }

  @Test func `a line has the tags of its entry in the order of their bytes, and none without tags`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let payload = try Payload(["n": 1])
    try await log.append(
      [
        NewEntry(
          type: "T", version: nil, payload: payload, tags: ["student:s1", "course:\"c1\"", "student:s1"]),
        NewEntry(type: "T", version: nil, payload: payload),
      ], to: "events")
    let lines = try lines(log)
    #expect(lines[0].contains(#","tags":["course:\"c1\"","student:s1"],"data":{"n":1}}"#), "\(lines[0])")
    #expect(!lines[1].contains("tags"))
  }

  @Test(arguments: [
    (#""course:c1""#, "line 2, column 38: the field 'tags' is not an array of texts"),
    (#"{"a":1}"#, "line 2, column 38: the field 'tags' is not an array of texts"),
    ("[7]", "line 2, column 39: the field 'tags' has an element that is not a text"),
    (#"["a", {"b":[1,2]}]"#, "line 2, column 44: the field 'tags' has an element that is not a text"),
    (#"["a","b" , null]"#, "line 2, column 49: the field 'tags' has an element that is not a text"),
    (#"[["a"]]"#, "line 2, column 39: the field 'tags' has an element that is not a text"),
  ])
  func `anything but an array of texts is malformed, with line and column`(tags: String, problem: String)
    async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let error = await #expect(throws: AnnalsError.self) {
      try await load(
        [
          #"{"stream":"a","type":"T","data":{}}"#,
          #"{"stream":"a","type":"T", "tags":    \#(tags),"data":{}}"#,
        ],
        into: log)
    }
    #expect(error?.code == .malformed && error?.message.hasPrefix(problem) == true, "\(error?.message ?? "")")
    #expect(error?.details.line == 2 && error?.details.column.map { $0 >= 38 } == true)
    #expect(try log.info().entries == 0)
  }

  @Test(arguments: [
    (#"["a",""]"#, AnnalsError.Code.invalidName), (#"["\u0000"]"#, .invalidName),
    ("[\"\(String(repeating: "x", count: 501))\"]", .invalidName),
    ("[\((0..<65).map { "\"t\($0)\"" }.joined(separator: ","))]", .tooLarge),
  ])
  func `a tag that no event can have is refused with its line`(tags: String, code: AnnalsError.Code)
    async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let error = await #expect(throws: AnnalsError.self) {
      try await load([#"{"stream":"a","type":"T","tags":\#(tags),"data":{}}"#], into: log)
    }
    #expect(error?.code == code && error?.details.line == 1 && error?.details.column != nil)
  }

  @Test func `null, an empty array and repeated texts are allowed, and another key may hold the tags`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let most = (0..<64).map { "\"t\($0)\"" }.joined(separator: ",")
    try await load(
      [
        #"{"stream":"a","type":"T","labels":null,"tags":["no"],"data":{}}"#,
        #"{"stream":"a","type":"T","labels":[],"data":{}}"#,
        #"{"stream":"a","type":"T","labels":["b","a","b"],"data":{}}"#,
        #"{"stream":"a","type":"T","labels":[\#(most),"t0"],"data":{}}"#,
      ], into: log, ImportOptions(keys: [.tags: "labels"]))
    let tags = try log.read { snapshot in
      var entries = try snapshot.entries()
      var tags: [[EventTag]] = []
      while let entry = try entries.next() { tags.append(entry.tags) }
      return tags
    }
    #expect(tags.prefix(3) == [[], [], ["a", "b"]])
    #expect(tags.last?.count == 64)
  }

  @Test func `a line without an id equals the next entry only with the same tags`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    func lines(_ tags: String) -> [String] {
      [
        #"{"stream":"a","type":"T","id":"00000000-0000-4000-8000-000000000001","tags":["x"],"data":{}}"#,
        #"{"stream":"a","type":"T","tags":[\#(tags)],"data":{}}"#,
      ]
    }
    #expect(try await load(lines(#""b","a""#), into: log).stored == 2)
    #expect(try await load(lines(#""a","b""#), into: log).repeated == 2)
    let other = try await load(lines(#""a""#), into: log)
    #expect(other.repeated == 1 && other.stored == 1)
    #expect(try await load(lines(""), into: log).stored == 1)
  }

  /// A log with random types and tags, and its model.
  private func log(
    _ place: TemporaryStore, _ count: Int, withIDs: Bool, _ random: inout SeededGenerator
  ) async throws -> (EventLog, TagModel) {
    let log = try EventLog(at: place.url)
    var model = TagModel()
    while model.events.count < count {
      let stream = StreamName("stream-\(Int.random(in: 0..<3, using: &random))")
      var events: [NewEntry] = []
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let type = TagSamples.types.randomElement(using: &random) ?? ""
        let tags = TagSamples.tags(using: &random)
        model.events.append(
          TagModel.Event(position: UInt64(model.events.count) + 1, stream: stream, type: type, tags: tags))
        events.append(
          NewEntry(
            type: type, version: nil, payload: try Payload(["n": .unsigned(UInt64(model.events.count))]),
            id: withIDs ? UUID() : nil, tags: Array(tags)))
      }
      try await log.append(events, to: stream)
    }
    return (log, model)
  }

  // Promise P189.
  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 4)))
  func `an export and its import give equal tags and equal answers to queries`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let places = (
      try TemporaryStore(in: TemporaryDirectory.memory), try TemporaryStore(in: TemporaryDirectory.memory)
    )
    let (log, model) = try await log(places.0, 300, withIDs: true, &random)
    let exported = try lines(log)
    let copy = try EventLog(at: places.1.url)
    #expect(try await load(exported, into: copy).stored == UInt64(model.events.count), "seed \(seed)")
    #expect(try lines(copy) == exported, "seed \(seed)")
    // The lines are recognised by their ids, as lines without tags are.
    let again = try await load(exported.shuffled(using: &random), into: copy)
    #expect(again.stored == 0 && again.repeated == UInt64(model.events.count), "seed \(seed)")
    #expect(try lines(copy) == exported, "seed \(seed)")
    #expect(try copy.info().tags == log.info().tags && log.info().tags > 0, "seed \(seed)")
    #expect(try EventLog.verify(places.1.url).isClean, "seed \(seed)")
    for round in 0..<40 {
      let query = TagSamples.query(using: &random)
      let expected = model.positions(matching: query)
      for log in [log, copy] {
        let found = try log.read { snapshot in
          var entries = try snapshot.entries(matching: query)
          var found: [UInt64] = []
          while let entry = try entries.next() { found.append(entry.position.rawValue) }
          return found
        }
        #expect(found == expected, "seed \(seed), round \(round): \(query)")
      }
    }
  }

  // Promise P187.
  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 4)))
  func `lines of a selection are those of the events that a model gives`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let (log, model) = try await log(place, 200, withIDs: false, &random)
    let last = UInt64(model.events.count)
    for round in 0..<60 {
      func some(_ random: inout SeededGenerator) -> UInt64? {
        Bool.random(using: &random) ? UInt64.random(in: 0...last + 1, using: &random) : nil
      }
      let (after, end) = (some(&random), some(&random))
      let backwards = Bool.random(using: &random)
      let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 0...5, using: &random)
      let query = TagSamples.query(using: &random)
      let isRaw = Bool.random(using: &random)
      let selection = EntrySelection(
        after: after, through: end, matching: query, backwards: backwards, limit: limit, isRaw: isRaw)
      let found = try lines(log, selection).map { line in
        UInt64(line.dropFirst(#"{"position":"#.count).prefix { $0.isNumber }) ?? 0
      }
      let expected = model.positions(
        matching: query, after: after, through: end, backwards: backwards, limit: limit)
      #expect(found == expected, "seed \(seed), round \(round): \(selection)")
    }
  }

  @Test func `following a query gives later entries that match, up to the limit or the last place`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    let payload = try Payload(["n": 1])
    func append(_ tags: EventTag...) async throws {
      try await log.append(
        tags.map { NewEntry(type: "T", version: nil, payload: payload, tags: [$0]) }, to: "events")
    }
    func next(_ lines: inout EntryLines) throws -> [String] {
      var bytes: [UInt8] = []
      while let page = try lines.nextPage() { bytes += page }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0.prefix(14)) }
    }
    try await append("a")
    var limited = try EntryLines(log, EntrySelection(matching: [.init(tags: ["a"])], limit: 3))
    var bounded = try EntryLines(log, EntrySelection(through: 4, matching: [.init(tags: ["a"])]))
    #expect(try next(&limited) == [#"{"position":1,"#])
    #expect(try next(&bounded) == [#"{"position":1,"#])
    try await append("b", "a")
    #expect(try await limited.waitForMore())
    #expect(try next(&limited) == [#"{"position":3,"#])
    #expect(try await bounded.waitForMore())
    #expect(try next(&bounded) == [#"{"position":3,"#])
    try await append("b")
    #expect(try await limited.waitForMore())
    #expect(try next(&limited) == [])
    try await append("a", "a")
    #expect(try await limited.waitForMore())
    #expect(try next(&limited) == [#"{"position":5,"#])
    #expect(try await !limited.waitForMore())
    #expect(try await bounded.waitForMore())
    #expect(try next(&bounded) == [])
    #expect(try await !bounded.waitForMore())
  }

  // Promise P186.
  @Test
  func `lines of events at a version have the stored tags, and are chosen by the names of that version`()
    async throws
  {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: TagCoursesFirst.self)
      try await store.append(
        [
          .enrolled(.init(course: "c1", student: 1)), .planned(.init(rooms: ["a", "b"])),
          .enrolled(.init(course: "c2", student: 1)), .left(.init(course: "c1", student: 1)),
        ], to: "events")
    }
    let log = try EventLog(at: place.url)
    func dump(_ query: LogQuery?, after: Position? = nil, through: Position? = nil) throws -> [String] {
      var lines = try EventLines(
        log, plan: TagCoursesPlan.self, matching: query, after: after, through: through)
      var bytes: [UInt8] = []
      while let page = try lines.nextPage() { bytes += page }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    let all = try dump(nil)
    #expect(all.count == 5)
    #expect(all[0].contains(#""type":"SeatTaken","version":"2.0.0""#))
    #expect(all[0].contains(#","tags":["course:c1","student:1"],"data""#))
    #expect(try dump([.init(types: ["SeatTaken"])]) == [all[0], all[3]])
    #expect(try dump([.init(types: ["Enrolled"])]) == [])
    #expect(try dump([.init(tags: ["course:c1", "student:1"])]) == [all[0], all[4]])
    #expect(try dump([.init(types: ["Left"], tags: ["course:c1"])]) == [all[4]])
    #expect(try dump([.init(types: ["RoomPlanned"]), .init(tags: ["course:c2"])]) == Array(all[1...3]))
    #expect(try dump([]) == [])
    #expect(try dump(nil, after: 1, through: 3) == Array(all[1...3]))
  }
}
