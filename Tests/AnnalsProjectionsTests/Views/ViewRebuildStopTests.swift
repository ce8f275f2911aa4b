import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Rebuilds that stop, and go on when they are asked for again.
struct ViewRebuildStopTests {
  /// Counts words, and refuses the first entry if `refuses` is set.
  enum Moody: Projection {
    static let refuses = Atomic(false)

    typealias Event = Tallies.Event
    static let name = "moody"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if entry.position == 1, refuses.load(ordering: .acquiring) { throw Tallies.Refused() }
      try Tallies.Counts.apply(entry, to: &rows)
    }
  }

  @Test("a rebuild that stops says so, the old rows go on, and the next one may come to its end")
  func stoppedRebuild() async throws {
    defer { Moody.refuses.store(false, ordering: .releasing) }
    var random = SeededGenerator(seed: 51)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(100, to: store, &random)
    let view = try store.view(Moody.self)
    try await view.waitUntil(tallied.last)
    Moody.refuses.store(true, ordering: .releasing)
    try store.rebuild(Moody.self)
    try await waitUntil {
      guard case .stopped(let error) = try view.status().state else { return false }
      return error.code == .ruleFailed
    }
    // What serves is not stopped by that.
    try await tallied.append(50, to: store, &random)
    try await view.waitUntil(tallied.last)
    #expect(view.registered.served?.file.number == 1)
    Moody.refuses.store(false, ordering: .releasing)
    try store.rebuild(Moody.self)
    try await waitUntil { (view.registered.served?.file.number ?? 0) > 1 }
    guard case .following = try view.status().state else {
      Issue.record("the view does not follow")
      return
    }
  }

  /// Counts words, and refuses the first entry if `refuses` is set.
  enum Sullen: Projection {
    static let refuses = Atomic(false)

    typealias Event = Tallies.Event
    static let name = "sullen"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if entry.position == 1, refuses.load(ordering: .acquiring) { throw Tallies.Refused() }
      try Tallies.Counts.apply(entry, to: &rows)
    }
  }

  @Test("a rebuild that has stopped goes on when the view is opened again")
  func reopenedRebuild() async throws {
    defer { Sullen.refuses.store(false, ordering: .releasing) }
    var random = SeededGenerator(seed: 55)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(100, to: store, &random)
    let view = try store.view(Sullen.self)
    try await view.waitUntil(tallied.last)
    Sullen.refuses.store(true, ordering: .releasing)
    try store.rebuild(Sullen.self)
    try await waitUntil {
      guard case .stopped = try view.status().state else { return false }
      return true
    }
    // Long enough for the thread that looks after files to find nothing to do.
    try await Task.sleep(for: .milliseconds(300))
    Sullen.refuses.store(false, ordering: .releasing)
    _ = try store.view(Sullen.self)
    try await waitUntil { (view.registered.served?.file.number ?? 0) > 1 }
    guard case .following = try view.status().state else {
      Issue.record("the view does not follow")
      return
    }
  }
}
