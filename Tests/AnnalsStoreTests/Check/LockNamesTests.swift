import Foundation
import Testing

@testable import Annals
@testable import AnnalsStore

/// The names that a released record keeps away, and those that it had.
@Suite struct LockNamesTests {
  @Schema(1, 0, 0) enum Reserving {
    @Record(formerly: ["Movie"], reserved: ["pounds"]) struct Film { var title: String }
  }
  @Schema(1, 0, 0) enum Forgetting {
    @Record(formerly: ["Movie"]) struct Film { var title: String }
  }
  @Schema(1, 0, 0) enum Renamed {
    @Record(formerly: ["Picture"], reserved: ["pounds"]) struct Film { var title: String }
  }
  @Schema(1, 0, 0) enum ReservingMore {
    @Record(formerly: ["Movie"], reserved: ["pounds", "ounces"]) struct Film { var title: String }
  }
  enum Only<Schema: VersionedSchema>: SchemaMigrationPlan {
    static var stages: MigrationChain<Schema, Schema> {}
  }

  private let folder: TemporaryStore
  private let file: LockFile

  init() throws {
    folder = try TemporaryStore()
    file = LockFile(url: folder.directory.appendingPathComponent("Films.lock"))
    _ = try Only<Reserving>.check(file, isRecording: true)
  }

  @Test func `a released record reserves what it reserved, or more`() throws {
    let error = #expect(throws: AnnalsError.self) {
      try Only<Forgetting>.check(file, isRecording: false)
    }
    #expect(error?.code == .shapeChanged)
    #expect(error?.message.contains("expected 'pounds', found none") == true)
    _ = try Only<ReservingMore>.check(file, isRecording: false)
  }

  @Test func `a released record had the names that it had`() {
    let error = #expect(throws: AnnalsError.self) { try Only<Renamed>.check(file, isRecording: false) }
    #expect(error?.code == .shapeChanged)
    #expect(error?.message.contains("expected 'Movie', found 'Picture'") == true)
  }
}
