import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct PersonalFieldTests {
  private let directory: TemporaryDirectory
  private let keys = MemoryKeys()
  private var url: URL { directory.url.appendingPathComponent("shop.annals") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  private static let ada = PersonalCustomersV1.Registered(
    customerID: 7, name: "Ada Lovelace", birthday: Date(timeIntervalSinceReferenceDate: -5), city: "London",
    address: .init(street: "St James's Square", number: 12))
  private static let bob = PersonalCustomersV1.Registered(
    customerID: 8, name: "Bob", birthday: nil, city: "Paris", address: .init(street: "Rue", number: 1))

  private func fill() async throws -> EventStore<PersonalPlanV1> {
    let store = try EventStore(at: url, plan: PersonalPlanV1.self, options: keys.options)
    try await store.append([.registered(Self.ada), .closed(.init(reason: "x"))], to: "a")
    try await store.append([.registered(Self.bob)], to: "b")
    try await store.append(
      [
        .ordered(.init(customer: "7", total: 3, note: "Ada's note")),
        .ordered(.init(customer: "8", total: 4, note: nil)),
      ], to: "a")
    return store
  }

  private func events<Plan: SchemaMigrationPlan>(_ store: EventStore<Plan>) throws -> [Plan.Current.Event] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Plan.Current.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }

  @Test func `personal fields are encrypted when they are stored, and decrypted when they are read`()
    async throws
  {
    let store = try await fill()
    guard case .registered(let ada) = try events(store)[0], case .registered(let bob) = try events(store)[2],
      case .ordered(let order) = try events(store)[3]
    else { return #expect(Bool(false)) }
    #expect(ada == Self.ada)
    #expect(bob == Self.bob)
    #expect(order.note == "Ada's note")
    // Two values each of three registered fields, less one birthday, and one note.
    #expect(keys.seals == 6)
  }

  @Test func `nothing is encrypted for records without personal fields`() async throws {
    let store = try EventStore(at: url, plan: PersonalPlanV1.self, options: keys.options)
    try await store.append([.closed(.init(reason: "x"))], to: "a")
    #expect(try events(store).count == 1)
    #expect((keys.seals, keys.opens) == (0, 0))
    #expect(!store.log.core.generation.kinds.hasPersonalFields)
  }

  @Test func `raw reads and dumps show an encrypted field as such`() async throws {
    let log = try await fill().log
    let entry = try log.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return try entries.next()
    }
    guard case .payload(let payload) = entry?.content else { return #expect(Bool(false)) }
    let tree = try CBOR(payload: payload.bytes.span)
    #expect(tree["customerID"] == 7)
    #expect(tree["city"] == "London")
    #expect(tree["name"]?["sealed"]?["key"] == 7)
    guard case .bytes(let box) = tree["name"]?["sealed"]?["box"] else { return #expect(Bool(false)) }
    #expect(box.count > 12)
    let lines = try dump(log)
    #expect(lines.contains("\"sealed\":{\"box\":{\"$bytes\":\""))
    #expect(!lines.contains("Lovelace"))
  }

  private func dump(_ log: EventLog) throws -> String {
    var text = ""
    try log.read { (snapshot) throws in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        var writer = JSONWriter()
        try writer.entry(entry)
        text += String(decoding: writer.bytes, as: UTF8.self) + "\n"
      }
    }
    return text
  }

  @Test func `an older library refuses a store with encrypted fields by a required feature`() async throws {
    let store = try await fill()
    let meta = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.meta() }
    let feature = try #require(meta.requires.first { $0.name == "personal" })
    #expect(feature.isForReading)
  }

  @Test func `a store whose plan has personal fields does not open without keys`() async throws {
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: url, plan: PersonalPlanV1.self)
    }
    #expect(error?.code == .keyMissing)
    _ = try await fill()
    #expect(throws: AnnalsError.self) { try EventStore(at: url, plan: PersonalPlanV1.self) }
    // The untyped log needs none.
    #expect(try EventLog.verify(url).isClean)
  }

  @Test func `reads give the declared replacements of a forgotten person, and nil for optionals`()
    async throws
  {
    let store = try await fill()
    try store.forget(7, by: "jane", because: "request")
    let events = try events(store)
    #expect(
      events[0]
        == .registered(
          .init(
            customerID: 7, name: "unknown person", birthday: nil, city: "London",
            address: .init(street: "-", number: 0))))
    #expect(events[2] == .registered(Self.bob))
    #expect(events[3] == .ordered(.init(customer: "7", total: 3, note: nil)))
  }

  @Test func `an append of a forgotten person's data is refused, and with replacements it is stored`()
    async throws
  {
    let store = try await fill()
    try store.forget("7", by: "jane", because: "request")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.registered(Self.ada)], to: "a")
    }
    #expect(error?.code == .subjectForgotten)
    #expect(error?.message.contains("Lovelace") == false)
    let event = try events(store)[0]
    try await store.append([event], to: "a", expecting: .revision(3))
    #expect(try events(store).last == event)
  }

  @Test func `upcasters see decrypted values, and a pass gives what reads gave`() async throws {
    do { _ = try await fill() }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    let before = try events(store)
    #expect(
      before[0]
        == .person(
          .init(customerID: "7", first: "Ada", last: "Lovelace", place: "St James's Square 12, London")))
    #expect(before[3] == .bought(.init(customer: "7", total: 3, remark: "Ada's note")))
    _ = try await store.migrate().report()
    #expect(try events(store) == before)
    #expect(try EventLog.verify(url).isClean)
    // Another type and other fields: each value was encrypted again.
    #expect(!(try dump(store.log)).contains("Lovelace"))
    #expect((try dump(store.log)).contains("sealed"))
    store.log.core.generation.kinds.kinds.values.forEach { kind in
      #expect(kind.version == SchemaVersion(2, 0, 0) || kind.row.name == "Closed")
    }
  }

  @Test func `a pass over a forgotten person's events gives what reads gave`() async throws {
    do {
      let store = try await fill()
      try store.forget(7, by: "jane", because: "request")
    }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    let before = try events(store)
    #expect(
      before[0] == .person(.init(customerID: "7", first: "unknown", last: "person", place: "- 0, London")))
    _ = try await store.migrate().report()
    #expect(try events(store) == before)
    #expect(try dump(store.log).contains("\"first\":{\"plain\":{\"value\":\"unknown\"}}"))
  }

  @Test func `a person who is forgotten after a pass is forgotten in what it wrote`() async throws {
    do { _ = try await fill() }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    _ = try await store.migrate().report()
    try store.forget("7", by: "jane", because: "request")
    let events = try events(store)
    #expect(events[0] == .person(.init(customerID: "7", first: "nobody", last: nil, place: "?")))
    #expect(events[3] == .bought(.init(customer: "7", total: 3, remark: nil)))
  }

  @Test func `a pass copies encrypted values that do not change`() async throws {
    let store = try await fill()
    let before = try dump(store.log)
    let seals = keys.seals
    _ = try await store.log.compact().report()
    _ = try await store.migrate().report()
    #expect(try dump(store.log) == before)
    #expect(keys.seals == seals)
  }

  @Test func `a value that was moved to another event or field is refused`() async throws {
    let store = try await fill()
    let row = try store.log.read { (snapshot) throws(AnnalsError) in
      try snapshot.reader.lend(try snapshot.reader.bytes(at: 1), at: 1).body.copied
    }
    let kind = try #require(store.log.core.generation.kinds.kinds.values.first { $0.row.name == "customer" })
    let record = store.log.core.generation.kinds.recordKind(kind)
    // The payload of customer 7 under the id of customer 8.
    var forged = row
    forged[1] = 8
    var request = AppendRequest(time: 0)
    request.add("b", expecting: .any)
    request.add(AppendRequest.Event(record: record, payload: forged))
    request.rules = store.rules
    _ = try store.log.append(blocking: request)
    let error = #expect(throws: AnnalsError.self) { try events(store) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("not made for this field") == true)
  }

  @Test func `missing keys stop readers that quarantine, and a pass, which leaves the store as it was`()
    async throws
  {
    do { _ = try await fill() }
    var options = keys.options
    options.unreadable = .quarantine { entry in Issue.record("\(entry) was set apart") }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: options)
    let before = try dump(store.log)
    keys.isLost = true
    let error = #expect(throws: AnnalsError.self) { try events(store) }
    #expect(error?.code == .keyMissing)
    #expect(error?.details.position == 1)
    #expect(error?.details.type == "customer")
    let failed = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
    #expect(failed?.code == .keyMissing)
    #expect(try dump(store.log) == before)
    keys.isLost = false
    #expect(try events(store).count == 5)
  }

  @Test func `explain decrypts at each version, and shows the stored form encrypted`() async throws {
    do { _ = try await fill() }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    let text = try store.explain(1).description
    #expect(text.contains("\"last\":\"Lovelace\""))
    #expect(text.contains("sealed"))
    try store.forget(7, by: "jane", because: "request")
    let after = try store.explain(1).description
    #expect(!after.contains("Lovelace"))
    #expect(after.contains("\"first\":\"unknown\""))
  }

  @Test func `the command of a plan passes the program's keys to each open`() async throws {
    _ = try await fill()
    let keys = keys
    let store = try StoreOptions.$keysOfProgram.withValue(KeysOfProgram(make: { keys })) {
      try EventStore(at: url, plan: PersonalPlanV1.self)
    }
    #expect(try events(store).first == .registered(Self.ada))
    #expect(StoreOptions().keys == nil)
  }

  @Test func `a dump at a version has decrypted values, and replacements of forgotten people`() async throws {
    do { _ = try await fill() }
    let log = try EventLog(at: url, options: keys.options)
    func text() throws -> String {
      var lines = try EventLines(log, plan: PersonalPlanV2.self, as: SchemaVersion(2, 0, 0))
      var text = ""
      while let page = try lines.nextPage() { text += String(decoding: page, as: UTF8.self) }
      return text
    }
    #expect(try text().contains("Lovelace"))
    try keys.drop("7")
    #expect(try !text().contains("Lovelace"))
    #expect(try text().contains("\"first\":\"unknown\""))
    #expect(try text().contains("\"first\":\"Bob\""))
  }

  @Test func `the bytes of a stored payload are those of the format`() async throws {
    let store = try await fill()
    let stored = try store.log.read { (snapshot) throws(AnnalsError) in
      try ([3, 4, 5] as [UInt64]).map { (position) throws(AnnalsError) -> [UInt8] in
        try snapshot.reader.lend(
          try snapshot.reader.bytes(at: Position(position)), at: Position(position)
        ).body.copied
      }
    }
    // 4: ["7", 3, [1, 7, h'…']] of customer 7, whose note is the sixth sealed value.
    let context = PersonalForm.context(type: ExactText("Ordered"), field: "note", subject: "7")
    #expect(
      context
        == Array("annals personal 1".utf8) + [7] + Array("Ordered".utf8) + [4] + Array("note".utf8)
        + [1, UInt8(ascii: "7")])
    let value = context + [0x6a] + Array("Ada's note".utf8)
    let box = [6, 0, 0, 0, UInt8(context.count)] + value.map { ~$0 }
    #expect(
      stored[1] == [0x83, 0x61, UInt8(ascii: "7"), 3, 0x83, 1, 7, 0x58, UInt8(box.count)] + box)
    // 5: a field without a value is null, and is not encrypted.
    #expect(stored[2] == [0x83, 0x61, UInt8(ascii: "8"), 4, 0xf6])
    // 3: the birthday of customer 8 is null.
    #expect(stored[0].prefix(2) == [0x85, 8])
  }

  @Test func `a dropped key is recorded in the log as an erasure without positions`() async throws {
    let store = try await fill()
    let report = try store.forget(7, by: "jane", because: "request 4711")
    let erasures = try store.log.erasures()
    #expect(erasures.map(\.position) == report.recorded)
    #expect(erasures.first?.author == "jane")
    #expect(erasures.first?.count == 0)
    // Nothing of the events was anywhere but in them.
    #expect(erasures.first?.remains == [])
    #expect(try EventLog.verify(url).isClean)
  }
}
