import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@Schema(1, 0, 0) enum AlbumV1 {
  @Record struct Taken: Equatable {
    var title: String
    var photo: Annals.Attachment
    var more: [Annals.Attachment]
  }
}

enum AlbumPlan: SchemaMigrationPlan { static var stages: MigrationChain<AlbumV1, AlbumV1> {} }

@Schema(1, 0, 0) enum PersonsV1 {
  @Record struct Named {
    var person: String
    @Field(personal: "person", erased: "forgotten") var name: String
  }
}

enum PersonsPlan: SchemaMigrationPlan { static var stages: MigrationChain<PersonsV1, PersonsV1> {} }

/// The contents that events of a cluster may have, and those that a member refuses.
@Suite struct ClusterContentTests {
  private func open(
    _ directory: TemporaryDirectory, _ name: String, _ log: MemoryLog
  ) async throws -> ClusterStore<AlbumPlan> {
    try await ClusterStore.open(
      at: directory.url.appendingPathComponent("\(name).annals"), plan: AlbumPlan.self, log: log.connect(),
      options: Machine.options())
  }

  @Test func `small attachments travel with their event, and larger ones are refused where they are made`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (first, second) = (try await open(directory, "a", log), try await open(directory, "b", log))
    let store = try first.store
    let contents = [Data(), Data([1, 2, 3]), Data(repeating: 7, count: Annals.Attachment.inlineLimit - 1)]
    let attachments = try contents.map { try store.attach($0) }
    try await store.append(
      [.taken(.init(title: "t", photo: attachments[2], more: attachments))], to: "album")
    try await second.waitUntil(1)
    let read = try second.store.read { (snapshot) throws(AnnalsError) -> [Annals.Attachment] in
      var entries = try snapshot.entries(in: "album")
      guard case .taken(let taken)? = try entries.next()?.event else { return [] }
      return [taken.photo] + taken.more
    }
    #expect(try read.map { try second.store.content(of: $0) } == [contents[2]] + contents)
    let large = Data(repeating: 7, count: Annals.Attachment.inlineLimit)
    let refused = #expect(throws: AnnalsError.self) { _ = try store.attach(large) }
    #expect(refused?.code == .tooLarge)
    // In pieces that are small themselves.
    var pieces = 0
    let inPieces = #expect(throws: AnnalsError.self) {
      _ = try store.attach {
        pieces += 1
        return pieces < 1_000 ? Data(repeating: 1, count: 1_000) : nil
      }
    }
    #expect(inPieces?.code == .tooLarge)
    #expect(pieces == 5)
    let blobs = directory.url.appendingPathComponent("a.annals/blobs").path
    #expect(!FileManager.default.fileExists(atPath: blobs))
  }

  @Test func `an attachment of another store is refused, and nothing is published`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let member = try await open(directory, "a", log)
    let alone = try EventStore(at: directory.url.appendingPathComponent("s.annals"), plan: AlbumPlan.self)
    let photo = try alone.attach(Data(repeating: 7, count: 10_000))
    let before = log.messages.count
    let refused = await #expect(throws: AnnalsError.self) {
      try await member.store.append([.taken(.init(title: "t", photo: photo, more: []))], to: "album")
    }
    #expect(refused?.code == .tooLarge)
    #expect(log.messages.count == before)
    try await member.store.append(
      [.taken(.init(title: "t", photo: try member.store.attach(Data([1])), more: []))], to: "album",
      expecting: .noStream)
  }

  @Test func `a plan with personal fields is no plan of a cluster, and nothing is made of it`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let url = directory.url.appendingPathComponent("p.annals")
    let refused = await #expect(throws: AnnalsError.self) {
      _ = try await ClusterStore.open(at: url, plan: PersonsPlan.self, log: log.connect())
    }
    #expect(refused?.code == .wrongUse)
    #expect(refused?.message.contains("personal fields") == true)
    #expect(log.messages.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }
}
