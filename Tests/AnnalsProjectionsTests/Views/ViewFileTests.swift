import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files of views that are gone, spoilt, of another log or of another projection.
struct ViewFileTests {
  /// An accident to the files of a folded view, with the reported reason.
  enum Mishap: String, CaseIterable, Sendable {
    case deletedFile, garbage, cutOff, deletedMark, spoiltMark, otherBoot, emptyFile, nothing

    var reason: String? {
      switch self {
      case .deletedFile: "its file was missing"
      case .garbage, .cutOff, .emptyFile: "its file was damaged"
      case .deletedMark, .spoiltMark: "a file next to the view's file was missing or damaged"
      case .otherBoot: "the system was not shut down in order"
      case .nothing: nil
      }
    }

    func happen(in views: URL) throws {
      let (file, mark) = (
        views.appendingPathComponent("v-000001.mdb"), views.appendingPathComponent("v-000001.state")
      )
      switch self {
      case .deletedFile: try FileManager.default.removeItem(at: file)
      case .garbage: try Data(repeating: 0x5a, count: 20_000).write(to: file)
      case .cutOff: try Data(contentsOf: file).prefix(5_000).write(to: file)
      case .emptyFile: try Data().write(to: file)
      case .deletedMark: try FileManager.default.removeItem(at: mark)
      case .spoiltMark: try Data("spoilt".utf8).write(to: mark)
      case .otherBoot:
        var old = try ViewMark([UInt8](Data(contentsOf: mark)))
        #expect(old.isSynced)
        old.isSynced = false
        old.boot = "another-boot"
        try Data(old.encoded()).write(to: mark)
      case .nothing: break
      }
    }
  }

  @Test("a view whose files are gone or spoilt is rebuilt, and says so", arguments: Mishap.allCases)
  func mishaps(_ mishap: Mishap) async throws {
    var random = SeededGenerator(seed: 5)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(300, to: store, &random)
      let counts = try store.view(Tallies.Counts.self)
      try await counts.waitUntil(tallied.last)
    }
    try mishap.happen(in: tallied.url.appendingPathComponent("views"))
    let store = try tallied.open()
    let counts = try store.view(Tallies.Counts.self)
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts())
    let reason = try counts.status().reason
    if let expected = mishap.reason {
      #expect(reason?.contains(expected) == true, "\(reason ?? "nothing was said")")
    } else {
      #expect(reason == nil)
    }
    #expect(try store.log.views().map(\.state) == [.ready])
    #expect(try EventLog.verify(tallied.url).isClean)
  }

  @Test("a log that lost its end, or continued in another way, has its views rebuilt")
  func restoredLog() async throws {
    var random = SeededGenerator(seed: 6)
    let tallied = try TalliedStore()
    let saved = tallied.temporary.directory.appendingPathComponent("saved")
    do {
      let store = try tallied.open()
      try await tallied.append(100, to: store, &random)
    }
    try FileManager.default.copyItem(at: tallied.url, to: saved)
    do {
      let store = try tallied.open()
      try await tallied.append(200, to: store, &random)
      let counts = try store.view(Tallies.Counts.self)
      try await counts.waitUntil(tallied.last)
    }
    let views = tallied.url.appendingPathComponent("views")
    let kept = tallied.temporary.directory.appendingPathComponent("kept")
    try FileManager.default.moveItem(at: views, to: kept)
    for isAhead in [true, false] {
      try FileManager.default.removeItem(at: tallied.url)
      try FileManager.default.copyItem(at: saved, to: tallied.url)
      try FileManager.default.copyItem(at: kept, to: views)
      let store = try tallied.open()
      if !isAhead {
        for number in 0..<250 {
          try await store.append([NewEvent(.said(.init(word: "w1", times: number)))], to: "other")
        }
      }
      let last = try #require(try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
      let counts = try store.view(Tallies.Counts.self)
      let reason = try counts.status().reason
      #expect(reason?.contains(isAhead ? "ahead of the log" : "another entry") == true)
      try await counts.waitUntil(last)
      let expected = tallied.counts(upTo: 100)["w1"]?.times ?? 0
      let found = try counts.read { try $0.get(Tallies.Counts.Word.self, "w1")?.times }
      #expect(found == (isAhead ? expected : expected + (0..<250).sum()))
    }
  }

  @Test("a file of another log is no view of this one")
  func foreignFile() async throws {
    var random = SeededGenerator(seed: 8)
    let (one, two) = (try TalliedStore(), try TalliedStore())
    for tallied in [one, two] {
      let store = try tallied.open()
      try await tallied.append(100, to: store, &random)
      try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
    }
    let views = two.url.appendingPathComponent("views")
    try FileManager.default.removeItem(at: views)
    try FileManager.default.copyItem(at: one.url.appendingPathComponent("views"), to: views)
    let store = try two.open()
    let counts = try store.view(Tallies.Counts.self)
    #expect(try counts.status().reason?.contains("another log") == true)
    try await counts.waitUntil(two.last)
    #expect(try counts.read { try $0.all() } == two.counts())
  }

  /// As ``Tallies/Counts``, with other tables under the same version.
  enum Edited: Projection {
    @Record struct Word: ProjectionRow {
      var word: String
      var times: Int
      var key: String { word }
    }
    typealias Event = Tallies.Event
    static let name = "counts"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Word.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
  }

  @Test("tables that changed under one version, two projections of one name, and a newer view are refused")
  func refusals() async throws {
    var random = SeededGenerator(seed: 9)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(50, to: store, &random)
      let counts = try store.view(Tallies.Counts.self)
      try await counts.waitUntil(tallied.last)
      let twice = #expect(throws: AnnalsError.self) { _ = try store.view(Edited.self) }
      #expect(twice?.code == .wrongUse)
    }
    do {
      let store = try tallied.open()
      let changed = #expect(throws: AnnalsError.self) { _ = try store.view(Edited.self) }
      #expect(changed?.code == .shapeChanged)
      let newer = try store.view(Tallies.CountsV2.self)
      try await waitUntil { try newer.status().servedVersion == 2 }
      try await waitUntil { try store.log.views().map(\.version) == [2] }
    }
    let store = try tallied.open()
    let older = #expect(throws: AnnalsError.self) { _ = try store.view(Tallies.Counts.self) }
    #expect(older?.code == .superseded)
    try store.remove(view: "counts")
    #expect(try store.log.views().isEmpty)
    let counts = try store.view(Tallies.Counts.self)
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts())
  }

  @Test("a reader's store reads rows that others have folded, and builds nothing")
  func readers() async throws {
    var random = SeededGenerator(seed: 10)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(50, to: store, &random)
      let reader = try tallied.open(StoreOptions(access: .readOnly))
      let counts = try reader.view(Tallies.Counts.self)
      let error = #expect(throws: AnnalsError.self) { _ = try counts.read { try $0.position() } }
      #expect(error?.code == .readOnly)
      try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
    }
    let store = try tallied.open(StoreOptions(access: .readOnly))
    let counts = try store.view(Tallies.Counts.self)
    #expect(try counts.read { try $0.all() } == tallied.counts())
    guard case .readOnly = try counts.status().state else {
      Issue.record("a reader folds")
      return
    }
  }

  @Test("two views are read at one position")
  func together() async throws {
    var random = SeededGenerator(seed: 12)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    let (counts, pauses) = (try store.view(Tallies.Counts.self), try store.view(Tallies.Pauses.self))
    for _ in 0..<5 {
      try await tallied.append(40, to: store, &random)
      try await counts.waitUntil(tallied.last)
      try await pauses.waitUntil(tallied.last)
      let places = try store.read(counts, pauses) { (one, two) throws(AnnalsError) in
        (try one.position(), try two.position())
      }
      #expect(places.0 == tallied.last)
      #expect(places.1 == tallied.last)
    }
  }
}
