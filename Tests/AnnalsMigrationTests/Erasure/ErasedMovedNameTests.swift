import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

/// Erased names of streams, and passes that move streams.
@Suite struct ErasedMovedNameTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func fill(_ names: [StreamName]) async throws {
    let store = try EventStore(at: place.url, plan: ClubFirst.self, options: .merging(every: 2))
    for name in names {
      try await store.append([.weighed(.init(n: 1)), .noted(.init(n: 2))], to: name)
    }
  }

  private func streams(_ log: EventLog) throws -> [String] {
    try log.read { snapshot in
      var list = try snapshot.streams()
      var names: [String] = []
      while let stream = try list.next() { names.append(stream.name.text) }
      return names
    }
  }

  /// The files of the store with a name's bytes.
  private func files(with name: StreamName) throws -> [String] {
    let files = FileManager.default.enumerator(at: place.url, includingPropertiesForKeys: nil)
    var found: [String] = []
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: Data(name.text.utf8)) != nil { found.append(file.lastPathComponent) }
    }
    return found
  }

  private func passAndDiscard<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws {
    do { _ = try EventStore(at: place.url, plan: plan, options: .passing()) }
    _ = try EventLog.discardPrevious(place.url)
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
  }

  @Test func `the name of an erased stream leaves all files with a pass that moves streams`() async throws {
    let gone: StreamName = "user wilhelmina.zuckerberg"
    try await fill([gone, "user ann", "club"])
    do {
      let log = try EventLog(at: place.url)
      try await log.close(gone, by: "jane", because: "request")
      try log.erase(stream: gone, by: "jane", because: "request")
      #expect(try !files(with: gone).isEmpty)
    }
    try passAndDiscard(ClubSecond.self)
    #expect(try files(with: gone) == [])
    #expect(try files(with: "wilhelmina") == [], "nor the name that the stage would give it")
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try streams(store.log) == ["$annals", "athlete-ann", "weights", "club"].sorted())
    #expect(try store.log.read { try $0.entry(at: 1)?.stream } == "$erased-1")
    #expect(try store.log.read { try $0.entry(at: 2)?.revision } == 1)
    #expect(try store.log.moved(from: gone) == [])
    #expect(try store.log.moved(from: "user ann") == ["athlete-ann"])
    // The name may begin a new stream, which nobody has closed.
    let appended = try await store.append([.noted(.init(n: 3))], to: gone, expecting: .noStream)
    #expect(appended.revisions == [0])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a stage may move entries to the erased name of a stream, which is another one then`()
    async throws
  {
    try await fill(["athlete-ann", "user ann"])
    do {
      let log = try EventLog(at: place.url)
      try await log.close("athlete-ann", by: "jane", because: "request")
      try log.erase(stream: "athlete-ann", by: "jane", because: "request")
    }
    try passAndDiscard(ClubSecond.self)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try store.log.read { try $0.entry(at: 1)?.stream } == "$erased-1")
    #expect(try store.log.read { try $0.revision(of: "athlete-ann") } == 1)
    try await store.append([.noted(.init(n: 3))], to: "athlete-ann", expecting: .revision(1))
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `names that entries were moved from and to are erased with the last of them`() async throws {
    try await fill(["user ann", "user ben", "club"])
    try passAndDiscard(ClubSecond.self)
    do {
      let store = try EventStore(at: place.url, plan: ClubSecond.self)
      #expect(try store.log.moved(from: "club") == ["weights"])
      try await store.append([.noted(.init(n: 3))], to: "else")
      try store.erase(stream: "athlete-ann", by: "jane", because: "request")
      try store.erase(stream: "weights", by: "jane", because: "request")
      _ = try await store.log.compact().report()
    }
    _ = try EventLog.discardPrevious(place.url)
    for name in ["athlete-ann", "user ann", "weights"] as [StreamName] {
      #expect(try files(with: name) == [], "\(name)")
    }
    #expect(try !files(with: "user ben").isEmpty, "its entries are in 'athlete-ben'")
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try store.log.moved(from: "user ann") == [])
    #expect(try store.log.moved(from: "user ben") == ["athlete-ben"])
    #expect(try EventLog.verify(place.url).isClean)
    _ = consume store
    // The next stages move streams again.
    try passAndDiscard(ClubPlan.self)
    #expect(try files(with: "athlete-ann") == [])
  }

  @Test func `a row of a moved stream has placeholders for erased names`() throws {
    var row = MovedRow()
    for name in ["a", "b", "c"] as [StreamName] { _ = row.add(name) }
    let renamed = try #require(row.renaming(["b": "$erased-7"]))
    #expect(renamed.streams == ["a", "$erased-7", "c"])
    let rest = try #require(renamed.renaming(["a": "$erased-1"]))
    #expect(rest.renaming(["c": "$erased-9"]) == nil, "it leads to no stream with a name")
  }
}
