import Annals
import Foundation
import Testing

/// Stores for previews and tests.
@Suite struct TemporaryOpeningTests {
  /// The temporary stores on this machine with the id of a log.
  private func places(of log: UUID) throws -> [URL] {
    let parent = FileManager.default.temporaryDirectory
    return try FileManager.default.contentsOfDirectory(atPath: parent.path).compactMap { name in
      let url = parent.appendingPathComponent(name).appendingPathComponent("temporary.annals")
      guard name.hasPrefix("annals-"), let info = try? EventLog.inspect(url), info.id == log else {
        return nil
      }
      return url
    }
  }

  @Test func `a temporary store is empty, works, and leaves no file`() async throws {
    let log: UUID
    do {
      let store = try EventStore.temporary(plan: PreviewPlan.self, inline: [PreviewNames.self])
      try await store.append([.named(.init(name: "Ann"))], to: "a")
      let row = try store.read { snapshot throws(AnnalsError) in
        try snapshot.inline(PreviewNames.self).get(PreviewNames.Row.self, "a")
      }
      #expect(row?.name == "Ann")
      let other = try EventStore.temporary(plan: PreviewPlan.self)
      #expect(try other.log.info().entries == 0)
      log = try store.log.info().id
      #expect(try places(of: log).count == 1)
    }
    #expect(try places(of: log) == [])
  }
}

@Schema(1, 0, 0) enum PreviewV1 {
  @Record struct Named { var name: String }
}

enum PreviewPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PreviewV1, PreviewV1> {}
}

enum PreviewNames: InlineProjection {
  typealias Event = PreviewV1.Event
  @Record struct Row: ProjectionRow {
    var stream: String
    var name: String
    var key: String { stream }
  }

  static let name = "names"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if case .named(let named) = entry.event { try rows.put(Row(stream: entry.stream.text, name: named.name)) }
  }
}
