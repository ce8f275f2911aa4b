import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import LMDB

/// Rows that a projection finds by the streams of erased events, where a pass changes the names of streams.
@Suite struct ErasedRowTests {
  private typealias First = ErasedMembers.First
  private typealias Rows = ErasedMembers.Rows<ErasedMembers.V1>
  private typealias Later = ErasedMembers.Rows<ErasedMembers.V2>
  private typealias Member = ErasedMembers.Member
  private static let secret = "Wilhelmina Zuckerberg"
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func fill(_ store: EventStore<First>) async throws {
    try await store.append([.joined(.init(name: Self.secret))], to: "user 7")
    try await store.append([.joined(.init(name: "Bob"))], to: "user 8", waitingFor: store.view(Rows.self))
  }

  /// The accounts with a row, once the view has read to the end of the log.
  private func accounts<P: Projection>(_ view: View<P>) async throws -> [String] {
    try await view.waitUntilCaughtUp()
    return try view.rows(RowQuery(Member.self)).map(\.account)
  }

  /// The files of the store with the erased name's bytes.
  private func filesWithSecret() throws -> [String] {
    let files = FileManager.default.enumerator(at: place.url, includingPropertiesForKeys: nil)
    var found: [String] = []
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: Data(Self.secret.utf8)) != nil { found.append(file.lastPathComponent) }
    }
    return found
  }

  @Test(arguments: [false, true])
  func `no row stays if a pass removes the stream's name before the view is opened`(isTwice: Bool)
    async throws
  {
    try await fill(try EventStore(at: place.url, plan: First.self))
    do {
      let log = try EventLog(at: place.url)
      try log.erase(stream: "user 7", by: "jane", because: "request")
      _ = try await log.compact().report()
      // The callback could be asked about the second one, but the row of the first one would stay.
      if isTwice { try log.erase(stream: "user 8", by: "jane", because: "request") }
    }
    do {
      let store = try EventStore(at: place.url, plan: First.self)
      #expect(try await accounts(store.view(Rows.self)) == (isTwice ? [] : ["user 8"]))
    }
    _ = try EventLog.discardPrevious(place.url)
    let log = try EventLog(at: place.url)
    #expect(try log.erasures().first?.remains.isEmpty == true)
    #expect(try filesWithSecret() == [])
  }

  @Test func `no row stays if a pass follows the erasure while the view is open`() async throws {
    let store = try EventStore(at: place.url, plan: First.self)
    try await fill(store)
    let view = try store.view(Rows.self)
    try store.erase(stream: "user 7", by: "jane", because: "request")
    _ = try await store.log.compact().report()
    #expect(try await accounts(view) == ["user 8"])
    #expect(try view.get(Member.self, "user 7") == nil)
  }

  @Test func `no row stays of a stream that got another name, and was erased under either one`() async throws
  {
    try await fill(try EventStore(at: place.url, plan: First.self))
    do {
      let store = try EventStore(at: place.url, plan: First.self)
      try await store.append(
        [.joined(.init(name: "Cid"))], to: "user 9", waitingFor: store.view(Rows.self))
      try store.log.erase(stream: "user 7", by: "jane", because: "request")
    }
    try await place.migrate(ErasedMembers.Second.self)
    let log = try EventLog(at: place.url)
    try log.erase(stream: "member-8", by: "jane", because: "request")
    // The view is as the first plan left it, and this plan does not say that streams were moved.
    let store = try EventStore(at: place.url, plan: ErasedMembers.Later.self)
    let view = try store.view(Later.self)
    #expect(try await accounts(view) == ["member-9"])
    // Nobody moves what comes after the pass, so that the callback finds its rows.
    try await store.append([.joined(.init(name: "Dan"))], to: "user 10", waitingFor: view)
    try store.log.erase(stream: "user 10", by: "jane", because: "request")
    #expect(try await accounts(view) == ["member-9"])
  }

  @Test func `no row stays of a stream whose name a repair did not find`() async throws {
    try await fill(try EventStore(at: place.url, plan: First.self))
    do {
      let store = try EventStore(at: place.url, plan: First.self)
      try await store.append(
        [.joined(.init(name: Self.secret))], to: "user 7", waitingFor: store.view(Rows.self))
    }
    let generations = Generations(place)
    var bytes = try generations.read(1) { (reader) throws(AnnalsError) in
      try reader.bytes(at: 1).copied
    }
    bytes[bytes.count - 1] ^= 0x40
    try generations.change(1) { [bytes] (transaction, tables) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: 1, in: tables.entries)
      let name = Array("user 7".utf8)
      _ = try transaction.delete(key: name.span, in: tables.streams)
      for id in [1, 2] as [UInt64] { _ = try transaction.delete(key: id, in: tables.heads) }
    }
    try generations.set(1, [(StoreMeta.Name.checkpoint.rawValue, [0])])
    #expect(try EventLog.repair(place.url).entries.map(\.stream) == ["annals/unreadable/1"])
    let log = try EventLog(at: place.url)
    try log.erase(stream: "annals/unreadable/1", by: "jane", because: "request")
    let store = try EventStore(at: place.url, plan: First.self)
    #expect(try await accounts(store.view(Rows.self)) == ["user 8"])
  }

  @Test func `rows of an inline projection go with the erasure, before a pass removes or changes the name`()
    async throws
  {
    var options = StoreOptions()
    options.activating = true
    do {
      let store = try EventStore(
        at: place.url, plan: First.self, options: options, inline: [Rows.self])
      try await fill(store)
      try store.erase(stream: "user 7", by: "jane", because: "request")
      _ = try await store.log.compact().report()
      let row = try store.read { (snapshot) throws(AnnalsError) in
        try snapshot.inline(Rows.self).rows(RowQuery(Member.self))
      }
      #expect(row.map(\.account) == ["user 8"])
    }
    try await place.migrate(ErasedMembers.Second.self)
    let store = try EventStore(
      at: place.url, plan: ErasedMembers.Second.self, options: options, inline: [Later.self])
    try await store.append([.joined(.init(name: "Cid"))], to: "member-9")
    try store.erase(stream: "member-8", by: "jane", because: "request")
    let rows = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(Later.self).rows(RowQuery(Member.self))
    }
    #expect(rows.map(\.account) == ["member-9"])
    #expect(try EventLog.verify(place.url).isClean)
  }
}
