import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsAttachments
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsVerify

/// Events that are erased, and whose contents are removed, while a store is verified or copied.
@Suite struct ErasedMeanwhileTests {
  private let album: Album
  private let store: EventStore<AlbumFirst>
  private let photos: [Annals.Attachment]

  init() async throws {
    album = try Album()
    store = try album.store()
    photos = try (1...8).map { [store] number in try store.attach(Album.content(number)) }
    for (number, photo) in photos.enumerated() {
      try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a\(number)")
    }
  }

  private var copy: URL { album.place.directory.appendingPathComponent("copy") }

  private func file(_ number: Int) throws -> URL {
    album.blobs.appendingPathComponent(try #require(photos[number].hash).description)
  }

  private func forget(_ number: Int) throws {
    try store.erase(stream: "a\(number)", by: "jane", because: "request")
    #expect(try BlobSweep(store.log.core.newest(), grace: .zero).run() == 1)
  }

  /// Appends so many entries that the check of a copy reports its progress once, after the log was copied.
  private func fill() async throws {
    let events = (0..<4_000).map { _ in
      AlbumV1.Event.printed(.init(title: "", pages: [], cover: nil))
    }
    for _ in 0..<17 { try await store.append(events, to: "many") }
  }

  @Test func `verify finds a content only if an event still refers to it`() throws {
    let check = try AttachmentCheck(store.log)
    try forget(0)
    try FileManager.default.removeItem(at: file(1))
    var report = VerifyReport()
    try check.run(&report)
    #expect(report.findings.map(\.position) == [2])
  }

  @Test func `verify reads a content again that was attached again for another event`() async throws {
    let check = try AttachmentCheck(store.log)
    try forget(0)
    _ = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "", photo: photos[0]))], to: "b")
    var report = VerifyReport()
    try check.run(&report)
    #expect(report.isClean)
  }

  @Test(arguments: [true, false])
  func `a copy is made again of the later state, and ends if that has no end`(isBackup: Bool) async throws {
    try await fill()
    func make(_ progress: (EventLog.Progress) -> Void) throws -> CopyReport {
      if isBackup { return try store.backup(to: copy, progress: progress) }
      return try EventLog.restore(album.place.url, to: copy, progress: progress)
    }
    var copies = 0
    var problem: (any Error)?
    let busy = #expect(throws: AnnalsError.self) {
      try make { _ in
        do { try forget(copies) } catch { problem = error }
        copies += 1
      }
    }
    #expect(busy?.code == .busy && copies == 5 && problem == nil)
    let remains = try store.log.erasures().flatMap(\.remains)
    #expect(remains.allSatisfy { if case .backup = $0 { false } else { true } }, "\(remains)")

    copies = 0
    let report = try make { _ in
      if copies == 0 { do { try forget(5) } catch { problem = error } }
      copies += 1
    }
    #expect(copies == 2 && problem == nil && report.entries == 68_014)
    #expect(try album.files(in: copy.appendingPathComponent("blobs")).count == 2)
    #expect(try EventLog.verify(copy).isClean)
    #expect(try EventLog(at: copy).read { try $0.entry(at: 6)?.attachments } == [])

    try FileManager.default.removeItem(at: copy)
    try FileManager.default.removeItem(at: file(6))
    copies = 0
    let lost = #expect(throws: AnnalsError.self) { try make { _ in copies += 1 } }
    #expect(lost?.code == .missingAttachment && copies == 2)
  }
}
