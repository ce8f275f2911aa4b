import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Attachments in passes, copies, dumps and erasures.
@Suite struct AttachmentLifeTests {
  private let album: Album

  init() throws {
    album = try Album()
  }

  private func copy() -> URL {
    album.place.url.deletingLastPathComponent().appendingPathComponent("copy.annals")
  }

  @Test func `compact removes what no event refers to, after a grace period`() async throws {
    let store = try album.store()
    let kept = try store.attach(Album.content(1))
    let unused = try store.attach(Album.content(2))
    try await store.append([.photoTaken(.init(title: "", photo: kept))], to: "a")
    try Data("left by a crash".utf8).write(to: album.blobs.appendingPathComponent("1.tmp"))
    try Data("not ours".utf8).write(to: album.blobs.appendingPathComponent("README"))
    #expect(try await store.log.compact().report().removedAttachments == 0)
    #expect(try album.files().count == 4)
    _ = try EventLog.discardPrevious(album.place.url)
    try album.age()
    // Attached again, so its time begins again.
    let again = try store.attach(Album.content(3))
    #expect(try await store.log.compact().report().removedAttachments == 2)
    #expect(try Set(album.files()) == Set([kept, again].compactMap { $0.hash?.description } + ["README"]))
    #expect(try store.content(of: kept) == Album.content(1))
    let error = #expect(throws: AnnalsError.self) { try store.content(of: unused) }
    #expect(error?.code == .missingAttachment)
  }

  @Test func `what the older generation refers to stays until it is discarded`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
    try await store.truncate("a")
    try album.age()
    _ = try await store.log.compact().report()
    #expect(try store.content(of: photo) == Album.content(1))
    _ = try EventLog.discardPrevious(album.place.url)
    #expect(try album.files() == [])
    #expect(try EventLog.verify(album.place.url).isClean)
  }

  @Test func `an erased content leaves with the next pass, without a grace period`() async throws {
    let store = try album.store()
    let (gone, shared) = (try store.attach(Album.content(1)), try store.attach(Album.content(2)))
    try await store.append(
      [.printed(.init(title: "", pages: [gone], cover: shared))], to: "a")
    try await store.append([.photoTaken(.init(title: "", photo: shared))], to: "b")
    try store.erase(stream: "a", by: "jane", because: "request")
    #expect(try store.log.read { try $0.entry(at: 1)?.attachments } == [])
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(album.place.url)
    #expect(try album.files() == [shared.hash?.description])
    #expect(try store.content(of: shared) == Album.content(2))
    #expect(try EventLog.verify(album.place.url).isClean)
  }

  @Test func `an erasure does not shorten the time of a content that was attached again for another event`()
    async throws
  {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    let other = try store.attach(Album.content(2))
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
    try await store.append([.photoTaken(.init(title: "", photo: other))], to: "a")
    // The clock of files has a resolution of some milliseconds.
    try await Task.sleep(for: .milliseconds(30))
    let again = try store.attach(Album.content(1))
    try store.erase(stream: "a", by: "jane", because: "request")
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(album.place.url)
    #expect(try album.files() == [photo.hash?.description], "the other one leaves at once")
    let remains = try store.log.erasures().map(\.remains)
    #expect(remains == [[.content(try #require(photo.hash).description)]], "until an event refers to it")
    try await store.append([.photoTaken(.init(title: "", photo: again))], to: "b")
    #expect(try store.content(of: again) == Album.content(1))
    #expect(try store.log.erasures().map(\.remains) == [[]])
    #expect(try EventLog.verify(album.place.url).isClean)
  }

  @Test func `contents that a killed removal has left are listed until they are gone`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    let shared = try store.attach(Album.content(2))
    try await store.append([.printed(.init(title: "", pages: [photo], cover: shared))], to: "a")
    try await store.append([.photoTaken(.init(title: "", photo: shared))], to: "b")
    // What a writer left that was killed while it attached the same content.
    try Album.content(1).write(to: album.blobs.appendingPathComponent("1.tmp"))
    let copy = try Data(contentsOf: album.blobs.appendingPathComponent(photo.hash?.description ?? ""))
    try await Task.sleep(for: .milliseconds(30))
    try store.erase(stream: "a", by: "jane", because: "request")
    let hash = try #require(photo.hash).description
    #expect(
      try store.log.erasures().map(\.remains) == [[.generation(1), .content("1.tmp"), .content(hash)]])
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(album.place.url)
    #expect(try store.log.erasures().map(\.remains) == [[.content("1.tmp")]])
    // The power went after the generations were removed, and before the content was.
    try copy.write(to: album.blobs.appendingPathComponent(hash))
    try album.age()
    #expect(try store.log.erasures().map(\.remains) == [[.content("1.tmp"), .content(hash)]])
    _ = try EventLog.discardPrevious(album.place.url)
    #expect(try store.log.erasures().map(\.remains) == [[]])
    #expect(try album.files() == [shared.hash?.description])
  }

  @Test func `a content that is attached again while its event is erased stays for the new event`()
    async throws
  {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
    try store.erase(stream: "a", by: "jane", because: "request")
    #expect(try store.attach(Album.content(1)) == photo)
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(album.place.url)
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "b")
    #expect(try store.content(of: photo) == Album.content(1))
  }

  @Test func `a backup has the contents of its events, and restore compares them`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    _ = try store.attach(Album.content(2))
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
    let backup = copy()
    try store.backup(to: backup)
    let copied = backup.appendingPathComponent("blobs")
    #expect(try album.files(in: copied) == [photo.hash?.description])
    let restored = backup.appendingPathExtension("restored")
    try EventLog.restore(backup, to: restored)
    let again = try EventStore(at: restored, plan: AlbumFirst.self)
    #expect(try again.content(of: photo) == Album.content(1))
    let file = copied.appendingPathComponent(photo.hash?.description ?? "")
    var data = try Data(contentsOf: file)
    data[0] ^= 1
    try data.write(to: file)
    let error = #expect(throws: AnnalsError.self) {
      try EventLog.restore(backup, to: restored.appendingPathExtension("second"))
    }
    #expect(error?.code == .damaged)
  }

  @Test func `a dump has the hashes, and import takes them if the contents are there`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "x", photo: photo))], to: "a")
    let entry = try #require(try store.log.read { try $0.entry(at: 1) })
    var writer = JSONWriter()
    try writer.entry(entry)
    let line = String(decoding: writer.bytes, as: UTF8.self)
    #expect(line.contains("\"attachments\":[\"\(try #require(photo.hash))\"]"))
    let target = try EventLog(at: copy())
    func lines() -> () -> [UInt8]? {
      var rest = [Array(line.utf8)][...]
      return { rest.popFirst() }
    }
    let error = await #expect(throws: AnnalsError.self) { try await target.importLines(from: lines()) }
    #expect(error?.code == .missingAttachment)
    _ = try target.attach(Album.content(1))
    _ = try await target.importLines(from: lines())
    #expect(try target.read { try $0.entry(at: 1)?.attachments } == entry.attachments)
  }

  @Test func `import attaches contents from the files of another store`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "x", photo: photo))], to: "a")
    let entry = try #require(try store.log.read { try $0.entry(at: 1) })
    var writer = JSONWriter()
    try writer.entry(entry)
    var options = ImportOptions()
    options.attachments = album.blobs
    let target = try EventLog(at: copy())
    var rest = [writer.bytes][...]
    _ = try await target.importLines(options, from: { rest.popFirst() })
    #expect(try target.content(of: photo) == Album.content(1))
    // A file with another content than its name says.
    try album.change(photo.hash) { $0[0] ^= 1 }
    let other = try EventLog(at: copy().appendingPathExtension("other"))
    rest = [writer.bytes][...]
    let error = await #expect(throws: AnnalsError.self) {
      try await other.importLines(options, from: { rest.popFirst() })
    }
    #expect(error?.code == .damaged)
    #expect(try other.read { try $0.head() } == nil)
    // No such file, in a directory whose name must be taken as it is.
    options.attachments = try URL(exactPath: "/tmp/~/../no%20such".utf8)
    rest = [writer.bytes][...]
    let missing = await #expect(throws: AnnalsError.self) {
      try await other.importLines(options, from: { rest.popFirst() })
    }
    #expect(missing?.code == .inputOutput)
    let name = "/tmp/~/../no%20such/\(try #require(photo.hash))"
    #expect(missing?.message.contains("there is no file '\(name)'") == true)
  }

  @Test func `an extension that is no list of hashes is damage`() throws {
    let hash = try #require(ContentHash(String(repeating: "ab", count: 32)))
    #expect(try AttachmentList(hash.bytes).hashes == [hash])
    for bytes in [Array(hash.bytes.dropLast()), hash.bytes + hash.bytes, hash.bytes + [1]] {
      #expect(throws: FormatFailure.self) { try AttachmentList(bytes) }
    }
    for text in ["", "ab", String(repeating: "AB", count: 32), String(repeating: "g", count: 64)] {
      #expect(ContentHash(text) == nil)
    }
    #expect(hash.description == String(repeating: "ab", count: 32))
  }
}
