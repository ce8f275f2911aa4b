import Annals
import Foundation
import Testing

@testable import AnnalsCommand

@Schema(1, 0, 0) enum RetagRoomsV1 {
  @Record struct Booked {
    @Field(tag: "room") var room: Int
    var guest: String
  }
  @Record struct Noted { var text: String }
}

@Schema(2, 0, 0) enum RetagRoomsV2 {
  @Record struct Booked {
    @Field(tag: "room") var room: Int
    @Field(tag: "visitor") var guest: String
  }
  typealias Noted = RetagRoomsV1.Noted
}

private enum FirstRooms: SchemaMigrationPlan {
  static var stages: MigrationChain<RetagRoomsV1, RetagRoomsV1> {}
}

private enum Rooms: SchemaMigrationPlan {
  static var stages: MigrationChain<RetagRoomsV1, RetagRoomsV2> {
    MigrationStage.custom(fromVersion: RetagRoomsV1.self, toVersion: RetagRoomsV2.self) {
      Retag(\.booked)
    }
  }
}

/// What the command says of tags that a pass computes again.
@Suite struct RetagVerbTests {
  private let folder: TemporaryDirectory
  private let store: String

  init() async throws {
    folder = try TemporaryDirectory()
    store = folder.store
    let first = try EventStore(at: URL(filePath: store), plan: FirstRooms.self)
    try await first.append(
      [
        NewEvent(.booked(.init(room: 7, guest: "ann"))),
        NewEvent(.booked(.init(room: 8, guest: "bob")), tags: ["visitor:bob", "year:2026"]),
        NewEvent(.noted(.init(text: "quiet"))),
        NewEvent(.booked(.init(room: 9, guest: String(repeating: "x", count: 600)))),
      ], to: "rooms")
  }

  private func run(_ words: String...) async -> CommandRun {
    await CommandRun(words, Command(name: "rooms", verbs: MaintenanceCommand<Rooms>.verbs))
  }

  /// The lines of an explanation about tags.
  private func tags(_ position: Int) async -> [String] {
    await run("explain", store, "\(position)").lines.filter {
      $0.hasPrefix("tag ") || $0.hasPrefix("a pass ")
    }
  }

  @Test func `explain says what a pass will make of the tags of an entry`() async throws {
    #expect(
      await tags(1) == ["tag       room:7, the first", "a pass    gives it the tags room:7, visitor:ann"])
    #expect(await tags(2).last == "a pass    computes its tags again, and they stay")
    #expect(await tags(3) == [])
    let stop = try #require(await tags(4).last)
    #expect(stop.hasPrefix("a pass    stops at its tags: ruleFailed: position 4"), "\(stop)")
    let lines = try await run("explain", store, "1", "--json").objects()
    #expect(lines.first?["retagged"] as? [String] == ["room:7", "visitor:ann"])
    let plain = try await run("explain", store, "3", "--json").objects()
    #expect(plain.first?["retagged"] == nil)
    let long = try await run("explain", store, "4", "--json").objects()
    #expect((long.first?["retagging"] as? String)?.contains("visitor") == true)
  }

  @Test func `census counts the events whose tags a pass computes again, until it has done so`() async throws
  {
    #expect(await run("census", store).lines.last == "retag\t1.0.0\t2.0.0\t3\tBooked: room, visitor")
    let line = try #require(try await run("census", store, "--json").objects().last)
    #expect(line["from"] as? String == "1.0.0" && line["to"] as? String == "2.0.0")
    #expect(line["retagged"] as? Int == 3)
    #expect(await !CommandRun(["census", store]).output.contains("retag"))
    let open = try EventStore(at: URL(filePath: store), plan: Rooms.self)
    _ = try open.log.erase([4], by: "jane", because: "too long")
    #expect(try await open.migrate().report().retagged == 1)
    #expect(await !run("census", store).output.contains("retag"))
    #expect(await tags(1).count == 2)
  }
}
