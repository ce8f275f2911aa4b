import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// The store with attachments that is kept as bytes under `Golden/format-1-attachments`.
enum AttachmentGoldenStore {
  static let kept = KeptStore("format-1-attachments")
  /// The content in a file: the numbers from 0 to 250, again and again.
  static let photo = Data((0..<5_000).map { UInt8($0 % 251) })
  /// The content in its event.
  static let thumbnail = Data([1, 2, 3])
  static let time = "2026-01-01T00:00:00.000000Z"

  /// Writes the store at `url`: an event with both, and another event with the same content.
  static func write(to url: URL) async throws {
    try GoldenStore.create(at: url)
    let time = try Timestamp(parsing: time)
    let store = try EventStore(at: url, plan: AlbumFirst.self)
    let attached = try store.attach(photo)
    let event = AlbumV1.Printed(title: "Harbour", pages: [attached], cover: try store.attach(thumbnail))
    try await store.append([NewEvent(.printed(event), time: time.date)], to: "album")
    try await store.append(
      [NewEvent(.photoTaken(.init(title: "Quay", photo: attached)), time: time.date)], to: "scans")
  }
}

/// What another release wrote is read as it was, and written with the same bytes.
@Suite struct AttachmentGoldenTests {
  @Test func `the kept attachments are read, and their store is sound`() throws {
    let place = try AttachmentGoldenStore.kept.copy()
    let report = try EventLog.verify(place.url)
    #expect(report.isClean, "\(report.findings)")
    let store = try EventStore(at: place.url, plan: AlbumFirst.self)
    var printed: [AlbumV1.Printed] = []
    try store.read { snapshot in
      var entries = try snapshot.entries(in: "album")
      while let entry = try entries.next() {
        if case .printed(let event) = entry.event { printed.append(event) }
      }
    }
    let event = try #require(printed.first)
    let (page, cover) = (try #require(event.pages.first), try #require(event.cover))
    #expect(try store.content(of: page) == AttachmentGoldenStore.photo)
    #expect(try store.content(of: cover) == AttachmentGoldenStore.thumbnail)
    let second = try store.log.read { try $0.entry(at: 2) }
    #expect(second?.attachments == [try #require(page.hash)])
  }

  @Test func `today's writer gives every row the bytes that are written down`() async throws {
    let place = try TemporaryStore()
    try await AttachmentGoldenStore.write(to: place.url)
    let rows = try String(contentsOf: AttachmentGoldenStore.kept.rows, encoding: .utf8)
    let kept = GoldenStore.withJournal(rows, requiring: [.attachments, .readers]).split(separator: "\n")
    let written = try GoldenStore.dump(place.url).split(separator: "\n")
    #expect(Set(written).symmetricDifference(kept) == [])
    #expect(written == kept)
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["ANNALS_WRITE_GOLDEN"] != nil, "writes the kept store"))
  func `writes the kept store with attachments again`() async throws {
    let place = try TemporaryStore()
    try await AttachmentGoldenStore.write(to: place.url)
    try AttachmentGoldenStore.kept.keep(place.url)
  }
}
