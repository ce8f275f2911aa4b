import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A view that counts, built from the beginning of the log, compared with a scan of the log.
///
/// `view-together` compares it with two views that are built at once.
struct ViewRebuild: Scenario {
  let log: TypedLog
  /// Whether two are built at once.
  let isTogether: Bool

  private static let one = "one"
  private static let scan = "scan"

  let unit = Unit.entriesPerSecond
  var name: String { isTogether ? "view-together" : "view-rebuild" }
  var target: Target? { isTogether ? .part(0.71, of: Self.one) : .part(0.3, of: Self.scan) }
  var parameters: [String: Int] { log.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let place = site.directory.appendingPathComponent("copy")
    try FileManager.default.copyItem(at: try await site.stores.store(of: log), to: place)
    let store = try EventStore(at: TypedLog.place(in: place), plan: Only<Stored>.self)
    return { [self] repetition in
      guard isTogether else {
        let scan = try ContinuousClock().measure { try count(store) }
        let time = try await ViewTiming.build(StreamCounts.self, of: store)
        var found = Measurement(count: log.entries, in: time)
        found.ratios = [Self.scan: scan / time]
        return found
      }
      // In turns, as subjects are.
      let isFirst = repetition.isMultiple(of: 2)
      var two = isFirst ? try await ViewTiming.build(StreamCounts.self, StreamSums.self, of: store) : nil
      let one = try await ViewTiming.build(StreamCounts.self, of: store)
      if two == nil { two = try await ViewTiming.build(StreamCounts.self, StreamSums.self, of: store) }
      guard let two else { throw WrongWork(description: "no views were built") }
      var found = Measurement(count: log.entries, in: two)
      found.ratios = [Self.one: one / two]
      return found
    }
  }

  private func count(_ store: EventStore<Only<Stored>>) throws {
    let count = try store.log.read { (snapshot) throws(AnnalsError) in
      var scan = try snapshot.scan()
      var count = 0
      while try scan.next() != nil { count += 1 }
      return count
    }
    guard count == log.entries else { throw WrongWork(description: "the scan saw \(count) entries") }
  }
}
