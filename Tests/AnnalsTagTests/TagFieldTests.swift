import Annals
import Foundation
import Testing

/// The tags that the fields of a record declare, for types of fields that are more than one thing.
@Suite struct TagFieldTests {
  private static func tags(_ files: [Data], newest: Data?, all: Set<Data>?) -> [EventTag] {
    FilesV1.Uploaded.tags(
      .init(
        hash: Data([1, 2]), newest: newest, files: files, all: all, digest: Digest(rawValue: Data([4])),
        bytes: [5, 6, 5]))
  }

  @Test func `bytes are one tag, although they are a sequence of numbers too`() {
    let tags = Self.tags([Data(), Data([3])], newest: Data([8]), all: [Data([7])])
    #expect(
      tags == [
        "all:Bw==", "byte:5", "byte:6", "digest:BA==", "file:", "file:Aw==", "hash:AQI=", "newest:CA==",
      ])
  }

  @Test func `absent bytes are no tag`() {
    let tags = Self.tags([], newest: nil, all: nil)
    #expect(tags == ["byte:5", "byte:6", "digest:BA==", "hash:AQI="])
  }

  @Test func `events are found by the bytes of a field`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: FilePlan.self)
    for byte in [1, 2, 1] as [UInt8] {
      let event = FilesV1.Moved(hash: Data([byte, 0]), from: byte == 1 ? Data([9]) : nil)
      try await store.append([.moved(event)], to: "files")
    }
    func positions(_ tag: EventTag) throws -> [UInt64] {
      try store.read { snapshot in
        var found: [UInt64] = []
        var entries = try snapshot.entries(matching: EventQuery<FilesV1.Event>(tags: [tag]))
        while let entry = try entries.next() { found.append(entry.position.rawValue) }
        return found
      }
    }
    #expect(try positions(EventTag("hash", Data([1, 0]))) == [1, 3])
    #expect(try positions(EventTag("from", Data([9]))) == [1, 3])
    #expect(try positions(EventTag("hash", Data([2, 0]))) == [2])
  }
}

/// A value whose raw value is a sequence.
private struct Digest: RawRepresentable, Codable, TagValue {
  var rawValue: Data
}

@Schema(1, 0, 0) private enum FilesV1 {
  @Record fileprivate struct Uploaded {
    @Field(tag: "hash") var hash: Data
    @Field(tag: "newest") var newest: Data?
    @Field(tag: "file") var files: [Data]
    @Field(tag: "all") var all: Set<Data>?
    @Field(tag: "digest") var digest: Digest
    @Field(tag: "byte") var bytes: [UInt8]
  }
  @Record fileprivate struct Moved {
    @Field(tag: "hash") var hash: Data
    @Field(tag: "from") var from: Data?
  }
}

private enum FilePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<FilesV1, FilesV1> {}
}
