import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

// An office whose faxes are history: nobody reads them any more, and they stay in the log.

@Schema(1, 0, 0) enum OfficeV1 {
  @Record struct Noted: Equatable { var text: String }
  @Record struct Faxed: Equatable {
    var pages: Int
    var sender: String?
  }
  @Record struct Pinged: Equatable { var n: Int }
}

/// Faxes are retained, pings dropped, and a note may say whose it is.
@Schema(2, 0, 0) enum OfficeV2 {
  @Record struct Noted: Equatable {
    var text: String
    var by: String?
  }
}

/// A fax is a letter first, by a rule, and faxes and letters are retained one stage later.
@Schema(2, 0, 0) enum PostV2 {
  typealias Noted = OfficeV1.Noted
  @Record struct Received: Equatable { var sheets: Int }
  @Record struct Sealed: Equatable { var n: Int }
}

@Schema(3, 0, 0) enum PostV3 {
  typealias Noted = OfficeV2.Noted
}

extension OfficeV1.Event: Equatable {}
extension OfficeV2.Event: Equatable {}
extension PostV2.Event: Equatable {}
extension PostV3.Event: Equatable {}

enum FirstOffice: SchemaMigrationPlan { static var stages: MigrationChain<OfficeV1, OfficeV1> {} }

enum Office: SchemaMigrationPlan {
  static let toSecond = MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: OfficeV2.self) {
    Retain(\.faxed)
    Drop(\.pinged, reason: "noise")
  }
  static var stages: MigrationChain<OfficeV1, OfficeV2> { toSecond }
}

/// The same but for what becomes of faxes.
enum DroppingOffice: SchemaMigrationPlan {
  static var stages: MigrationChain<OfficeV1, OfficeV2> {
    MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: OfficeV2.self) {
      Drop(\.faxed, reason: "no fax")
      Drop(\.pinged, reason: "noise")
    }
  }
}

enum Post: SchemaMigrationPlan {
  static let toSecond = MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: PostV2.self) {
    Upcast(\.faxed, to: \.received) { old, _ in
      if old.pages < 0 { throw Torn() }
      return .init(sheets: (old.pages + 1) / 2)
    }
    Drop(\.pinged, reason: "noise")
  }
  struct Torn: Error {}

  static var stages: MigrationChain<OfficeV1, PostV3> {
    toSecond
    MigrationStage.custom(fromVersion: PostV2.self, toVersion: PostV3.self) {
      Retain(\.received)
      Drop(\.sealed, reason: "no seals")
    }
  }
}

enum SecondPost: SchemaMigrationPlan {
  static var stages: MigrationChain<OfficeV1, PostV2> { Post.toSecond }
}

/// What must not change of a retained entry.
struct StoredFax: Equatable {
  let kind: UInt32
  let stream: Position
  let revision: Revision
  let time: Int64
  let id: UUID?
  let metadata: String
  let body: [UInt8]
}

extension EventLog {
  /// The stored entry at `position`, without the row that the first entry of a kind has.
  func stored(at position: Position) throws -> StoredFax {
    try read { (snapshot) throws(AnnalsError) in
      let entry = try snapshot.reader.lend(try snapshot.reader.bytes(at: position), at: position)
      return StoredFax(
        kind: entry.header.kind, stream: entry.stream, revision: entry.revision, time: entry.header.time,
        id: entry.id, metadata: "\(try EntryReading.metadata(of: entry))", body: entry.body.copied)
    }
  }

  /// What `annals dump --as` writes, line by line.
  func dump<Plan: SchemaMigrationPlan>(_ plan: Plan.Type, as version: SchemaVersion) throws -> [String] {
    var lines = try EventLines(self, plan: plan, as: version)
    var bytes: [UInt8] = []
    while let page = try lines.nextPage() { bytes += page }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// How many delivered events there are, by version and type.
  func counts() throws -> [String: UInt64] {
    try read { (snapshot) throws(AnnalsError) in
      try snapshot.census().filter { $0.count > 0 }.reduce(into: [:]) { counts, line in
        counts["\(line.version.map(\.description) ?? "-") \(line.type)", default: 0] += line.count
      }
    }
  }
}
