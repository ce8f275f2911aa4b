import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// The names of streams of which all events are erased.
@Suite struct ErasedNameTests {
  private static let name: StreamName = "wilhelmina.zuckerberg@example.org"
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func fill(_ log: EventLog) async throws {
    for _ in 0..<3 { try await log.append([StreamLimitTests.event()], to: Self.name) }
    try await log.append([StreamLimitTests.event()], to: "ann")
  }

  private static func streams(_ log: EventLog) throws -> [String] {
    try log.read { snapshot in
      var list = try snapshot.streams()
      var names: [String] = []
      while let stream = try list.next() { names.append(stream.name.text) }
      return names
    }
  }

  /// The files of the store with the bytes of the name.
  private func filesWithName() throws -> [String] {
    let files = FileManager.default.enumerator(at: place.url, includingPropertiesForKeys: nil)
    var found: [String] = []
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: Data(Self.name.text.utf8)) != nil { found.append(file.lastPathComponent) }
    }
    return found
  }

  @Test(arguments: [2, 1_000] as [UInt64])
  func `the name of an erased stream is in no listing, and leaves all files with the next pass`(
    merge: UInt64
  ) async throws {
    do {
      let log = try EventLog(at: place.url, options: .merging(every: merge))
      try await fill(log)
      try log.erase(stream: Self.name, by: "jane", because: "request")
      #expect(try Self.streams(log) == ["$annals", "ann"])
      #expect(try log.read { try $0.entry(at: 1)?.stream } == "$erased-1")
      #expect(try log.read { try $0.entry(at: 3)?.stream } == "$erased-1")
      #expect(try log.erasures().first?.remains == [.generation(1)])
      #expect(try !filesWithName().isEmpty)
      #expect(try EventLog.verify(place.url).isClean)
      _ = try await log.compact().report()
      #expect(try Self.streams(log) == ["$annals", "ann"])
    }
    _ = try EventLog.discardPrevious(place.url)
    #expect(try filesWithName() == [])
    #expect(try EventLog.verify(place.url).isClean)
    let log = try EventLog(at: place.url, options: .merging(every: merge))
    #expect(try log.erasures().first?.remains == [])
    #expect(try log.read { try $0.entry(at: 1)?.stream } == "$erased-1")
    #expect(try log.read { try $0.revision(of: Self.name) } == nil)
    // The name may begin a new stream.
    let appended = try await log.append([StreamLimitTests.event()], to: Self.name, expecting: .noStream)
    #expect(appended.revisions == [0] && appended.positions == [6])
    #expect(try Self.streams(log) == ["$annals", "ann", Self.name.text])
    _ = try await log.compact().report()
    #expect(try Self.streams(log) == ["$annals", "ann", Self.name.text])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an event that is appended before the pass keeps the name`() async throws {
    let log = try EventLog(at: place.url)
    try await fill(log)
    try log.erase(stream: Self.name, by: "jane", because: "request")
    let appended = try await log.append([StreamLimitTests.event()], to: Self.name, expecting: .revision(2))
    #expect(appended.revisions == [3])
    #expect(try Self.streams(log) == ["$annals", "ann", Self.name.text])
    _ = try await log.compact().report()
    #expect(try log.read { try $0.revision(of: Self.name) } == 3)
    #expect(try EventLog.verify(place.url).isClean)
    // All of it again, also the name of a stream whose events were erased one by one.
    try log.erase(stream: Self.name, by: "jane", because: "request")
    try log.erase([4], by: "jane", because: "request")
    #expect(try log.erase(stream: "ann", by: "jane", because: "request").entries == 0)
    #expect(try Self.streams(log) == ["$annals"])
    _ = try await log.compact().report()
    #expect(try log.read { try $0.entry(at: 4)?.stream } == "$erased-4")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a pass that has removed a name does not come into use once the stream has a new event`()
    async throws
  {
    let log = try EventLog(at: place.url)
    try await fill(log)
    try log.erase(stream: Self.name, by: "jane", because: "request")
    let isHeld = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    var options = MigrationOptions()
    let hasWaited = Mutex(false)
    options.atPoint = { point in
      // Later rounds copy, too.
      guard point == .copied,
        hasWaited.withLock({ waited in
          defer { waited = true }; return !waited
        })
      else {
        return
      }
      isHeld.signal()
      isDone.wait()
    }
    let run = try log.compact(options)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isHeld.wait()
        continuation.resume()
      }
    }
    try await log.append([StreamLimitTests.event()], to: Self.name)
    isDone.signal()
    let error = await #expect(throws: AnnalsError.self) { _ = try await run.report() }
    #expect(error?.code == .busy)
    _ = try await log.compact().report()
    #expect(try log.read { try $0.revision(of: Self.name) } == 3)
    #expect(try Self.streams(log) == ["$annals", "ann", Self.name.text])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `callers cannot append to a placeholder`() async throws {
    let log = try EventLog(at: place.url)
    for name in ["$erased-1", "$erased-00", "$annals"] as [StreamName] {
      let error = await #expect(throws: AnnalsError.self) {
        try await log.append([StreamLimitTests.event()], to: name)
      }
      #expect(error?.code == .invalidName)
    }
    for name in ["$erased-", "$erased-x1", "erased-1"] as [StreamName] {
      try await log.append([StreamLimitTests.event()], to: name)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `listings and names are those of a model, through passes and reopening`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    /// A stream that lives: its first position, and whether all of its entries are erased.
    var live: [String: (first: UInt64, isErased: Bool)] = [:]
    var shown: [UInt64: String] = [:]
    var log = try EventLog(at: place.url, options: .merging(every: 8))
    for round in 0..<12 {
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let name = "s-\(Int.random(in: 0..<8, using: &random))"
        let appended = try await log.append([StreamLimitTests.event()], to: StreamName(name))
        let first = live[name]?.first ?? appended.positions[0].rawValue
        #expect((appended.revisions[0] == 0) == (live[name] == nil), "seed \(seed), round \(round)")
        live[name] = (first, false)
      }
      for (name, stream) in live where !stream.isErased && Int.random(in: 0..<4, using: &random) == 0 {
        try log.erase(stream: StreamName(name), by: "jane", because: "request")
        live[name]?.isErased = true
      }
      if Bool.random(using: &random) {
        _ = try await log.compact().report()
        for (name, stream) in live where stream.isErased {
          shown[stream.first] = "$erased-\(stream.first)"
          live[name] = nil
        }
        if Bool.random(using: &random) {
          _ = consume log
          _ = try EventLog.discardPrevious(place.url)
          log = try EventLog(at: place.url, options: .merging(every: 8))
        }
      }
      let names = try Self.streams(log).filter { $0 != "$annals" }
      #expect(names == live.filter { !$0.value.isErased }.keys.sorted(), "seed \(seed), round \(round)")
      for (name, stream) in live {
        let found = try log.read { try $0.entry(at: Position(stream.first))?.stream.text }
        let isStub = stream.isErased
        #expect(!isStub || found == "$erased-\(stream.first)", "\(name), seed \(seed), round \(round)")
      }
      for (position, name) in shown {
        #expect(try log.read { try $0.entry(at: Position(position))?.stream.text } == name)
      }
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
    }
  }
}
