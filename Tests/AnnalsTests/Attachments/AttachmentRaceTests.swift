import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsAttachments
@testable import AnnalsLog
@testable import LMDB

/// Writers that attach the same content at the same moment.
@Suite struct AttachmentRaceTests {
  private let album: Album

  init() throws {
    album = try Album()
  }

  /// The files of contents, after their directory has been made.
  private func blobs(_ store: EventStore<AlbumFirst>) throws -> BlobDirectory {
    try BlobDirectory.create(in: store.log.core.generation.directory)
  }

  /// Attaches a content on another thread, which waits for the lock of the contents, until `body` has changed
  /// the files.
  private func attach(
    _ content: Data, to store: EventStore<AlbumFirst>, whileWaiting body: () throws -> Void
  ) throws -> Result<Annals.Attachment, any Error> {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Annals.Attachment, any Error>?>(nil)
    let hold = try blobs(store).lock()
    Thread.detachNewThread {
      let outcome = Result { try store.attach(content) }
      result.withLock { $0 = outcome }
      done.signal()
    }
    while try album.files().allSatisfy({ !$0.hasSuffix(".tmp") }) { usleep(1_000) }
    // It has looked for the content before it waits.
    usleep(200_000)
    try body()
    _ = consume hold
    done.wait()
    return try #require(result.withLock { $0 })
  }

  @Test func `a content that another writer has attached meanwhile stays, whatever becomes of this one`()
    throws
  {
    let store = try album.store()
    let content = Album.content(1)
    let hash = try #require(ContentHash(SHA256.hash(content)))
    let outcome = try attach(content, to: store) {
      try content.write(to: album.blobs.appendingPathComponent(hash.description))
      // As a pass does that does not wait.
      for name in try album.files() where name.hasSuffix(".tmp") {
        try FileManager.default.removeItem(at: album.blobs.appendingPathComponent(name))
      }
    }
    let error = #expect(throws: AnnalsError.self) { try outcome.get() }
    #expect(error?.code == .busy)
    #expect(try album.files() == [hash.description])
    let photo = try store.attach(content)
    #expect(try store.content(of: photo) == content)
  }

  @Test(arguments: [true, false])
  func `a content that another writer has put there, or a pass removed, meanwhile is there`(
    isPut: Bool
  ) throws {
    let store = try album.store()
    let content = Album.content(1)
    let hash = try #require(ContentHash(SHA256.hash(content)))
    if !isPut { _ = try store.attach(content) }
    let file = album.blobs.appendingPathComponent(hash.description)
    let outcome = try attach(content, to: store) {
      if isPut { try content.write(to: file) } else { try FileManager.default.removeItem(at: file) }
    }
    #expect(try store.content(of: outcome.get()) == content)
    #expect(try album.files() == [hash.description])
  }

  @Test func `a content that is attached again keeps its file, and gets the present time`() throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    let hash = try #require(photo.hash)
    try album.age()
    let directory = try blobs(store).directory
    let before = try directory.status(of: hash.description)?.identity
    #expect(try store.attach(Album.content(1)) == photo)
    #expect(try directory.status(of: hash.description)?.identity == before)
    let time = try #require(try directory.time(of: hash.description))
    #expect(Timestamp.now.microseconds - time < 60_000_000)
  }

  @Test func `a content that several writers attach at the same moment is never missing`() async throws {
    let stores = try (0..<4).map { _ in try album.store() }
    for round in 0..<20 as Range<UInt64> {
      try await withThrowingTaskGroup { group in
        for (number, store) in stores.enumerated() {
          group.addTask {
            let content = Album.content(round)
            let photo = try store.attach(content)
            for _ in 0..<10 { #expect(try store.content(of: photo) == content) }
            try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a\(number)")
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(try album.files().count == 20)
    #expect(try EventLog.verify(album.place.url).isClean)
  }
}
