import Annals

/// The history of a large repository as its log records it.
@Schema(1, 0, 0) enum RailsV1 {
  struct CommitMade: Record, Codable {
    var sha: String
    var parents: Int
    var author: String
    var message: String
    var changes: Int
  }

  struct FileChanged: Record, Codable {
    var path: String
    var status: String
    var mode: String?
    var blob: String?
  }
}

/// A change holds the new contents, or that there are none.
@Schema(2, 0, 0) enum RailsV2 {
  typealias CommitMade = RailsV1.CommitMade
  @Record struct FileChanged {
    var path: String
    var content: Content?
  }

  @Value struct Content: Equatable {
    var mode: String
    var blob: String
  }
}

enum RailsPlan: SchemaMigrationPlan {
  struct Incomplete: Error {}

  static var stages: MigrationChain<RailsV1, RailsV2> {
    MigrationStage.custom(fromVersion: RailsV1.self, toVersion: RailsV2.self) {
      Upcast(\.fileChanged, to: \.fileChanged) { old, _ in
        if old.status == "D" { return .init(path: old.path, content: nil) }
        guard let mode = old.mode, let blob = old.blob else { throw Incomplete() }
        return .init(path: old.path, content: .init(mode: mode, blob: blob))
      }
    }
  }
}
