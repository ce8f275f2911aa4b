import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Entries that cannot be read, and stages that look at the whole log.
@Suite struct ActivationQuarantineTests {
  private func seeded(_ events: Club1.Event...) async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: First.self).append(events, to: "club")
    return place
  }

  private func joined(_ name: String) -> Club1.Event { .joined(.init(name: name)) }
  private func noise(_ text: String) -> Club1.Event { .noise(.init(text: text)) }

  private var activating: StoreOptions {
    var options = StoreOptions()
    options.activating = true
    return options
  }

  /// The positions of all reports, in order.
  private final class Reports: Sendable {
    let positions = Mutex<[UInt64]>([])

    var options: StoreOptions {
      var options = StoreOptions()
      options.unreadable = .quarantine { [self] entry in
        positions.withLock { $0.append(entry.position.rawValue) }
      }
      return options
    }
    var all: [UInt64] { positions.withLock { $0 } }
  }

  @Test func `an event that prepare does not select keeps no stage from being activated`() async throws {
    let place = try await seeded(joined("ada"), noise(""), joined("bob"), joined("ada"))
    _ = try EventStore(at: place.url, plan: Selecting.self, options: activating)
    let reports = Reports()
    let store = try EventStore(at: place.url, plan: Selecting.self, options: reports.options)
    #expect(
      try store.events() == [
        .member(.init(name: "ada", first: 1)), .member(.init(name: "bob", first: 3)),
        .member(.init(name: "ada", first: 1)),
      ])
    #expect(reports.all == [2])
  }

  @Test func `an activation that meets an event which cannot be read names the ways out and changes nothing`()
    async throws
  {
    let place = try await seeded(joined("ada"), noise(""))
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: Whole.self, options: activating)
    }
    #expect(error?.code == .ruleFailed && error?.details.position == 2)
    #expect(error?.underlying is Bad)
    for part in ["'prepare'", "2.0.0 to 3.0.0", "activate --quarantine", "history.selecting"] {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    #expect(try place.files() == files)
    let other = try await seeded(joined("bad"))
    let fold = #expect(throws: AnnalsError.self) {
      try EventStore(at: other.url, plan: Folding.self, options: activating)
    }
    #expect(fold?.message.contains("activate --quarantine") == true)
    #expect(fold?.message.contains("history.selecting") == false)
  }

  @Test func `with quarantine an activation skips entries that cannot be read, and reports them`()
    async throws
  {
    let place = try await seeded(joined("ada"), noise(""), joined("bad"), joined("bob"), noise("x"))
    let reports = Reports()
    var options = reports.options
    options.activating = true
    do {
      let store = try EventStore(at: place.url, plan: Whole.self, options: options)
      #expect(reports.all == [2, 3])
      #expect(store.quarantined == 2)
    }
    // The computed context is frozen; a program without quarantine still stops at the entry.
    let store = try EventStore(at: place.url, plan: Whole.self)
    let error = #expect(throws: AnnalsError.self) { try store.events() }
    #expect(error?.code == .ruleFailed && error?.details.position == 2)
    #expect(
      try EventStore(at: place.url, plan: Whole.self, options: Reports().options).events() == [
        .member(.init(name: "ada", first: 1)), .member(.init(name: "bob", first: 4)),
        .noise(.init(count: 1)),
      ])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an event of another type keeps no fold from being activated, and no group from being read`()
    async throws
  {
    let place = try await seeded(joined("ada"), noise(""), joined("amy"), joined("bob"))
    _ = try EventStore(at: place.url, plan: Folding.self, options: activating)
    let reports = Reports()
    let store = try EventStore(at: place.url, plan: Folding.self, options: reports.options)
    #expect(
      try store.events() == [.party(.init(names: ["ada", "amy"])), .party(.init(names: ["bob"]))])
    #expect(reports.all == [2])
  }

  @Test func `an event that could not be read ends its group, and is one of its own once it can be`()
    async throws
  {
    let place = try await seeded(
      joined("ada"), joined("bad"), joined("amy"), joined("ann"), joined("bob"), joined("bea"))
    let reports = Reports()
    var options = reports.options
    options.activating = true
    do {
      let store = try EventStore(at: place.url, plan: Folding.self, options: options)
      #expect(reports.all == [2])
      #expect(
        try store.events() == [
          .party(.init(names: ["ada"])), .party(.init(names: ["amy", "ann"])),
          .party(.init(names: ["bob", "bea"])),
        ])
    }
    let mended = try EventStore(at: place.url, plan: Mended.self)
    #expect(
      try mended.events() == [
        .party(.init(names: ["ada"])), .party(.init(names: ["bad"])), .party(.init(names: ["amy", "ann"])),
        .party(.init(names: ["bob", "bea"])),
      ])
    _ = try mended.migrate().join()
    #expect(try mended.events().count == 4)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `groups of entries that could not be read shut out libraries that do not know them`()
    async throws
  {
    let place = try await seeded(joined("ada"), joined("bad"), joined("amy"))
    var options = Reports().options
    options.activating = true
    do {
      let store = try EventStore(at: place.url, plan: Folding.self, options: options)
      let bytes = try store.log.read { (snapshot) throws(AnnalsError) in
        try snapshot.reader.row("requires", in: snapshot.reader.tables.meta) {
          (bytes) throws(FormatFailure) in bytes.copied
        }
      }
      // Five features, four of them needed for reading.
      #expect(
        bytes == [5, 1, 7] + Array("journal".utf8) + [1, 12] + Array("journal-hash".utf8) + [0, 5]
          + Array("times".utf8)
          + [1, 7] + Array("readers".utf8)
          + [1, 13] + Array("unread-groups".utf8))
    }
    _ = try EventStore(at: place.url, plan: Mended.self).migrate().join()
    // A generation that is made later keeps the rows, and what they require.
    #expect(try EventLog.inspect(place.url).generation == 2)
    #expect(
      try EventLog.inspect(place.url).requires.sorted() == [
        "journal", "journal-hash", "readers", "times", "unread-groups",
      ])
    #expect(StoreMeta.Requirement.unreadGroups.isForReading)
    #expect(try EventLog.verify(place.url).isClean)

    let other = try await seeded(joined("ada"), joined("amy"), noise(""))
    _ = try EventStore(at: other.url, plan: Folding.self, options: options)
    #expect(
      try EventLog.inspect(other.url).requires.sorted() == ["journal", "journal-hash", "readers", "times"])
  }

  @Test func `parts of an entry that could not be read are groups of their own once it can be`() async throws
  {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: OneSchema<Pairs1>.self)
      .append([.came(.init(names: ["ada", "bad"])), .came(.init(names: ["amy", "ann"]))], to: "club")
    var options = Reports().options
    options.activating = true
    _ = try EventStore(at: place.url, plan: StrictPairs.self, options: options)
    #expect(
      try EventLog.inspect(place.url).requires.sorted() == [
        "journal", "journal-hash", "readers", "times", "unread-groups",
      ])
    #expect(
      try EventStore(at: place.url, plan: MendedPairs.self).events() == [
        .party(.init(names: ["ada"])), .party(.init(names: ["bad"])), .party(.init(names: ["amy", "ann"])),
      ])
  }

  @Test func `an event whose key cannot be made is a group of its own with quarantine`() async throws {
    let place = try await seeded(joined("ada"), joined(""), joined("amy"))
    #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: Folding.self, options: activating)
    }
    let reports = Reports()
    var options = reports.options
    options.activating = true
    let store = try EventStore(at: place.url, plan: Folding.self, options: options)
    #expect(reports.all == [2])
    #expect(
      try store.events() == [
        .party(.init(names: ["ada"])), .party(.init(names: [""])), .party(.init(names: ["amy"])),
      ])
  }

  @Test func `the check says that a fold has to be activated, and opens after that`() async throws {
    let place = try await seeded(joined("ada"))
    let before = try Folding.check(store: place.url)
    #expect(!before.opens && before.needsActivation && before.stages.map(\.isDue) == [false, true])
    #expect(before.description.contains("run 'activate'"))
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Folding.self) }
    #expect(error?.code == .requiresActivation && error?.message.contains("run 'activate'") == true)
    _ = try EventStore(at: place.url, plan: Folding.self, options: activating)
    let after = try Folding.check(store: place.url)
    #expect(after.opens && after.stages.map(\.isDue) == [false, false])
  }

  @Test func `the check says why a contracted store refuses an older plan`() async throws {
    let place = try await seeded(noise("x"))
    let store = try EventStore(at: place.url, plan: Folding.self, options: activating)
    _ = try store.migrate().join()
    #expect(try store.contract(.init(confirming: 0)).isContracted)
    let check = try First.check(store: place.url)
    #expect(!check.opens)
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: First.self) }
    #expect(error?.code == .superseded && check.refusal == error?.message)
  }
}
