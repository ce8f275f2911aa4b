import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A view of a tree of files, built from the beginning of the log.
///
/// It is compared with the same fold into SQLite, fed by a read of the same log.
struct ViewTree: Scenario {
  let log: TreeLog

  private static let sqlite = "sqlite"

  let name = "view-tree"
  let unit = Unit.entriesPerSecond
  var target: Target? { .part(3, of: Self.sqlite) }
  var parameters: [String: Int] { log.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    try await log.fill(in: site.directory)
    let store = try EventStore(at: TreeLog.place(in: site.directory), plan: Only<Repository>.self)
    return { [self] repetition in
      let isFirst = repetition.isMultiple(of: 2)
      var peer = isFirst ? try sqlite(store, site.directory) : nil
      let time = try await ViewTiming.build(FileTree.self, of: store)
      if peer == nil { peer = try sqlite(store, site.directory) }
      var found = Measurement(count: log.entries, in: time)
      if let peer { found.ratios = [Self.sqlite: peer / time] }
      return found
    }
  }

  private func sqlite(_ store: EventStore<Only<Repository>>, _ directory: URL) throws -> Duration? {
    #if HAS_SQLITE
      let file = directory.appendingPathComponent("tree.sqlite")
      defer { try? FileManager.default.removeItem(at: file) }
      var files = 0
      let time = try ContinuousClock().measure { files = try SQLiteTree.fold(store, into: file) }
      guard files > log.files / 2 else { throw WrongWork(description: "\(files) files") }
      return time
    #else
      return nil
    #endif
  }
}
