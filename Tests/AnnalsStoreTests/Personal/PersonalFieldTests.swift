import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct PersonalFieldTests {
  private let shop: PersonalShop
  private var keys: MemoryKeys { shop.keys }
  private var url: URL { shop.url }

  init() throws {
    shop = try PersonalShop()
  }

  @Test func `personal fields are encrypted when they are stored, and decrypted when they are read`()
    async throws
  {
    let store = try await shop.fill()
    guard case .registered(let ada) = try shop.events(store)[0],
      case .registered(let bob) = try shop.events(store)[2],
      case .ordered(let order) = try shop.events(store)[3]
    else { return #expect(Bool(false)) }
    #expect(ada == PersonalShop.ada)
    #expect(bob == PersonalShop.bob)
    #expect(order.note == "Ada's note")
    // Two values each of three registered fields, less one birthday, and one note.
    #expect(keys.seals == 6)
  }

  @Test func `nothing is encrypted for records without personal fields`() async throws {
    let store = try EventStore(at: url, plan: PersonalPlanV1.self, options: keys.options)
    try await store.append([.closed(.init(reason: "x"))], to: "a")
    #expect(try shop.events(store).count == 1)
    #expect((keys.seals, keys.opens) == (0, 0))
    #expect(!store.log.core.generation.kinds.hasPersonalFields)
  }

  @Test func `raw reads and dumps show an encrypted field as such`() async throws {
    let log = try await shop.fill().log
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
    let lines = try shop.dump(log)
    #expect(lines.contains("\"sealed\":{\"box\":{\"$bytes\":\""))
    #expect(!lines.contains("Lovelace"))
  }

  @Test func `an older library refuses a store with encrypted fields by a required feature`() async throws {
    let store = try await shop.fill()
    let meta = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.meta() }
    let feature = try #require(meta.requires.first { $0.name == "personal" })
    #expect(feature.isForReading)
  }

  @Test func `a store whose plan has personal fields does not open without keys`() async throws {
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: url, plan: PersonalPlanV1.self)
    }
    #expect(error?.code == .keyMissing)
    _ = try await shop.fill()
    #expect(throws: AnnalsError.self) { try EventStore(at: url, plan: PersonalPlanV1.self) }
    // The untyped log needs none.
    #expect(try EventLog.verify(url).isClean)
  }

  @Test func `reads give the declared replacements of a forgotten person, and nil for optionals`()
    async throws
  {
    let store = try await shop.fill()
    try store.forget(7, by: "jane", because: "request")
    let events = try shop.events(store)
    #expect(
      events[0]
        == .registered(
          .init(
            customerID: 7, name: "unknown person", birthday: nil, city: "London",
            address: .init(street: "-", number: 0))))
    #expect(events[2] == .registered(PersonalShop.bob))
    #expect(events[3] == .ordered(.init(customer: "7", total: 3, note: nil)))
  }

  @Test func `an append of a forgotten person's data is refused, and with replacements it is stored`()
    async throws
  {
    let store = try await shop.fill()
    try store.forget("7", by: "jane", because: "request")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.registered(PersonalShop.ada)], to: "a")
    }
    #expect(error?.code == .subjectForgotten)
    #expect(error?.message.contains("Lovelace") == false)
    let event = try shop.events(store)[0]
    try await store.append([event], to: "a", expecting: .revision(3))
    #expect(try shop.events(store).last == event)
  }

  @Test func `a value that was moved to another event or field is refused`() async throws {
    let store = try await shop.fill()
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
    let error = #expect(throws: AnnalsError.self) { try shop.events(store) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("not made for this field") == true)
  }

  @Test func `explain decrypts at each version, and shows the stored form encrypted`() async throws {
    do { _ = try await shop.fill() }
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
    _ = try await shop.fill()
    let keys = keys
    let store = try StoreOptions.$keysOfProgram.withValue(KeysOfProgram(make: { keys })) {
      try EventStore(at: url, plan: PersonalPlanV1.self)
    }
    #expect(try shop.events(store).first == .registered(PersonalShop.ada))
    #expect(StoreOptions().keys == nil)
  }

  @Test func `a dump at a version has decrypted values, and replacements of forgotten people`() async throws {
    do { _ = try await shop.fill() }
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
    let store = try await shop.fill()
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
    let store = try await shop.fill()
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
