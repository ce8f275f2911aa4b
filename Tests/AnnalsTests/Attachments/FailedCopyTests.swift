import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// Copies of stores with contents in files of their own, which fail or are killed.
@Suite struct FailedCopyTests {
  private let album: Album
  private let photo: Annals.Attachment

  init() async throws {
    album = try Album()
    let store = try album.store()
    photo = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
    try await store.append(
      [.photoTaken(.init(title: "", photo: try store.attach(Album.content(2))))], to: "b")
  }

  private var above: URL { album.place.url.deletingLastPathComponent() }
  private var copy: URL { above.appending(path: "copy.annals") }
  private var content: URL { album.blobs.appending(path: photo.hash?.description ?? "") }

  private func parts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: above.path).filter { $0.hasPrefix(".copy.annals.") }
  }

  @Test func `a copy that lacks a content leaves nothing, and its place is free`() async throws {
    let moved = above.appending(path: "moved")
    try FileManager.default.moveItem(at: content, to: moved)
    for _ in 0..<2 {
      let error = #expect(throws: AnnalsError.self) { try album.store().backup(to: copy) }
      #expect(error?.code == .missingAttachment)
      #expect(try parts() == [])
    }
    try FileManager.default.moveItem(at: moved, to: content)
    try album.store().backup(to: copy)
    #expect(try EventLog.verify(copy).isClean)

    // The same for a backup that lacks it.
    let other = above.appending(path: "copy.annals.2")
    try FileManager.default.removeItem(
      at: copy.appending(path: "blobs").appending(path: content.lastPathComponent))
    #expect(throws: AnnalsError.self) { try EventLog.restore(copy, to: other) }
    #expect(try parts() == [])
  }

  @Test func `the next copy to a place removes what a killed one has left, with its contents`() async throws {
    try album.store().backup(to: copy)
    let left = above.appending(path: ".copy.annals.1363.tmp")
    try FileManager.default.moveItem(at: copy, to: left)
    let elsewhere = above.appending(path: "kept")
    try Data("kept".utf8).write(to: elsewhere)
    try FileManager.default.createSymbolicLink(
      at: left.appending(path: "blobs/link"), withDestinationURL: elsewhere)
    try album.store().backup(to: copy)
    #expect(try parts() == [])
    #expect(try Data(contentsOf: elsewhere) == Data("kept".utf8))
    #expect(try EventLog.verify(copy).isClean)
  }

  @Test(.enabled(if: Mount.isPossible, "only who may mount has a disk that is full"))
  func `too little room for the contents is known before one is copied`() async throws {
    await #expect(processExitsWith: .success) {
      let album = try Album()
      let store = try album.store()
      for number in 1...4 as ClosedRange<UInt64> {
        let photo = try store.attach(Album.content(number, count: 1 << 20))
        try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
      }
      let folder = album.place.directory.appendingPathComponent("disk")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let disk = try Mount.memory(4 << 20, at: folder.path)
      let copy = disk.appendingPathComponent("copy.annals")
      for isRestore in [false, true] {
        let error = #expect(throws: AnnalsError.self) {
          if isRestore { try EventLog.restore(album.place.url, to: copy) } else { try store.backup(to: copy) }
        }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains("contents of attachments need 4194304 bytes") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
      }
    }
  }

  @Test func `a failed backup stays recorded while there is a part of it`() async throws {
    let store = try album.store()
    try FileManager.default.removeItem(at: content)
    let part = above.appending(path: ".copy.annals.1363.tmp")
    try FileManager.default.createDirectory(at: part, withIntermediateDirectories: false)
    // As if another process were at work on it.
    let hold = try FileLock("open.lock", in: try Directory.open(path: part.path)).lock(.exclusive)
    #expect(throws: AnnalsError.self) { try store.backup(to: copy) }
    _ = consume hold
    try store.erase(stream: "a", by: "jane", because: "request")
    let remains = try store.log.erasures().flatMap(\.remains)
    #expect(remains.contains { if case .backup = $0 { true } else { false } }, "\(remains)")
  }
}
