import AnnalsTestSupport
import Foundation

@testable import Annals

/// Photos, as the first release kept them.
@Schema(1, 0, 0) enum AlbumV1 {
  @Record struct PhotoTaken: Equatable {
    var title: String
    var photo: Attachment
  }
  @Record struct Printed: Equatable {
    var title: String
    var pages: [Attachment]
    var cover: Attachment?
  }
}

/// Another name of a field.
@Schema(1, 1, 0) enum AlbumV2 {
  @Record struct PhotoTaken: Equatable {
    @Field(originalName: "title") var caption: String
    var photo: Attachment
  }
  typealias Printed = AlbumV1.Printed
}

enum AlbumFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<AlbumV1, AlbumV1> {}
}

enum AlbumPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<AlbumV1, AlbumV2> {
    MigrationStage.lightweight(fromVersion: AlbumV1.self, toVersion: AlbumV2.self)
  }
}

/// A store with photos.
struct Album {
  let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  var blobs: URL { place.url.appendingPathComponent("blobs") }

  func store() throws -> EventStore<AlbumFirst> { try EventStore(at: place.url, plan: AlbumFirst.self) }

  /// A content that follows from a number.
  static func content(_ seed: UInt64, count: Int = 10_000) -> Data {
    var random = SeededGenerator(seed: seed)
    return Data(random.bytes(count: count))
  }

  /// The names of the files with contents, and of unfinished ones.
  func files(in directory: URL? = nil) throws -> [String] {
    let path = (directory ?? blobs).path
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "blobs.lock" }.sorted()
  }

  /// Lets every content and unfinished file look as if it were from two days ago.
  func age() throws {
    for name in try files() {
      let time = Date(timeIntervalSinceNow: -172_800)
      try FileManager.default.setAttributes(
        [.modificationDate: time], ofItemAtPath: blobs.appendingPathComponent(name).path)
    }
  }

  func change(_ hash: ContentHash?, _ body: (inout Data) -> Void) throws {
    let url = blobs.appendingPathComponent(hash?.description ?? "")
    var data = try Data(contentsOf: url)
    body(&data)
    try data.write(to: url)
  }
}
