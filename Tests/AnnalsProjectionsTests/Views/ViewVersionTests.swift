import Synchronization
import Testing

@testable import Annals
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Successive versions of a view: the remains of one must not block the next.
struct ViewVersionTests {
  /// A third version, whose program has the two before it too.
  private enum CountsV3: Projection {
    typealias Event = Tallies.Event
    static let name = "counts"
    static let version = 3
    static var tables: [ProjectionTable] { [.rows(Tallies.CountsV2.Word.self)] }
    static var events: EventQuery<Event> { [\.said] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try Tallies.CountsV2.apply(entry, to: &rows)
    }
  }

  /// The remains of the first version's files.
  enum Remains: CaseIterable {
    /// What a removal that was cut short has left.
    case mark
    /// A file that cannot be used.
    case spoilt
  }

  private func counted(_ count: Int, seed: UInt64) async throws -> TalliedStore {
    var random = SeededGenerator(seed: seed)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(count, to: store, &random)
    try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
    return tallied
  }

  @Test(
    "remains of a version below the serving one keep no later one from opening",
    arguments: Remains.allCases)
  func remains(_ remains: Remains) async throws {
    let tallied = try await counted(60, seed: 71)
    let views = tallied.url.appendingPathComponent("views")
    let mark = try Data(contentsOf: views.appendingPathComponent("v-000001.state"))
    do {
      let store = try tallied.open()
      let view = try store.view(Tallies.CountsV2.self)
      try await waitUntil { try view.status().servedVersion == 2 }
      try await waitUntil { try ViewFollowingTests.files(tallied.url) == ["v-000002.mdb"] }
    }
    try mark.write(to: views.appendingPathComponent("v-000001.state"))
    if remains == .spoilt { try Data(count: 100).write(to: views.appendingPathComponent("v-000001.mdb")) }
    let store = try tallied.open()
    let view = try store.view(CountsV3.self)
    try await waitUntil { try view.status().servedVersion == 3 }
    let rows = try view.rows(RowQuery(Tallies.CountsV2.Word.self))
    #expect(rows.map(\.word) == tallied.counts().keys.sorted())
    #expect(rows.allSatisfy { tallied.counts()[$0.word]?.times == $0.times })
    try await waitUntil { try ViewFollowingTests.files(tallied.url) == ["v-000003.mdb"] }
  }

  @Test("files that are chosen again while a version takes over do not put the older one back")
  func chosenBesideSwitch() async throws {
    for round in 0..<3 {
      let tallied = try await counted(40, seed: 100 + UInt64(round))
      let store = try tallied.open()
      let view = try store.view(Tallies.CountsV2.self)
      // Until the one that looks has looked for the last time, the switch may come at any moment of it.
      let end = ContinuousClock.now + .seconds(10)
      while ContinuousClock.now < end {
        let file = view.registered.building
        try view.registry.chooseAgain(view.registered)
        guard let file, try !file.read({ (view) throws(AnnalsError) in try file.isReady(view) }) else {
          break
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      // Nothing is appended that would bring another page.
      try await waitUntil { try view.status().servedVersion == 2 }
      #expect(try view.status().progress == nil, "round \(round)")
    }
  }
}
