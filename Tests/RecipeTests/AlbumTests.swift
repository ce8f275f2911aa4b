import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum AlbumV1 {
  @Record struct PhotoTaken: Equatable {
    var title: String
    var photo: Annals.Attachment
  }
}

enum AlbumPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<AlbumV1, AlbumV1> {}
}

@Suite struct AlbumTests {
  // Promise P180.
  @Test func `a photo is kept with its event, and its content read back`() async throws {
    let place = try TemporaryStore()
    let harbour = place.url.appendingPathExtension("jpg")
    try Data(repeating: 7, count: 100_000).write(to: harbour)
    defer { try? FileManager.default.removeItem(at: harbour) }
    let store = try EventStore(at: place.url, plan: AlbumPlan.self)
    let photo = try store.attach(contentsOf: harbour)
    try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "album-1")

    var sizes: [String: Int] = [:]
    try store.read { snapshot in
      var entries = try snapshot.entries(in: "album-1")
      while let entry = try entries.next() {
        guard case .photoTaken(let taken) = entry.event else { continue }
        let content = try store.content(of: taken.photo)
        sizes[taken.title] = content.count
      }
    }
    #expect(sizes == ["Harbour": 100_000])
  }
}
