import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files of views with damaged pages.
@Suite(.serialized) struct ViewDamageTests {
  /// What happens to a page.
  enum Mishap: String, CaseIterable, Sendable {
    case noise, zeros, flips

    /// Returns the contents that the page gets in turn.
    func pages(_ page: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
      switch self {
      case .noise: [page.map { _ in UInt8.random(in: 0...255, using: &random) }]
      case .zeros: [Array(repeating: 0, count: page.count)]
      case .flips:
        // The page's number, flags and bounds, and the places of its first rows.
        (0..<6).map { _ in
          var page = page
          page[Int.random(in: 0..<48, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random)
          return page
        }
      }
    }
  }

  private static let pageSize = 4_096

  /// The file of a view.
  private static func file(_ store: URL, _ number: UInt64 = 1) -> URL {
    store.appendingPathComponent("views/\(ViewFile.stem(number)).mdb")
  }

  /// A store with a view that has been folded.
  static func folded(_ count: Int = 300) async throws -> TalliedStore {
    var random = SeededGenerator(seed: 12)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    // In several commits, so that there are free pages.
    for _ in 0..<3 {
      try await tallied.append(count / 3, to: store, &random)
      try await store.view(Tallies.Counts.self).waiting(for: tallied.last)
    }
    return tallied
  }

  private static func nobody(_ options: StoreOptions = .merging(every: 64)) -> StoreOptions {
    var options = options
    options.trust = .nobody
    return options
  }

  /// Reads the rows of a store that trusts nobody, after everything that reads or withdraws views.
  ///
  /// - Returns: How many times the view was built.
  static func look(_ url: URL, last: Position) async throws -> (rows: [String: Tallies.Counts.Word], Int) {
    let store = try EventStore(at: url, plan: Tallies.Plan.self, options: nobody())
    #expect(try store.log.views().count == 1)
    _ = try store.log.core.withdrawnFiles()
    let view = try store.view(Tallies.Counts.self)
    try await view.waiting(for: last)
    try await view.waitUntilBuilt()
    let number = try #require(view.registered.served?.file.number)
    return (try view.read { try $0.all() }, Int(number))
  }

  /// Damages each page of a view's file in turn.
  static func damageEach(_ mishap: Mishap, in folder: URL) async throws {
    let tallied = try await folded()
    let (expected, pristine) = (tallied.counts(), try [UInt8](Data(contentsOf: file(tallied.url))))
    var random = SeededGenerator(seed: 4)
    var built = 0
    for number in 2..<pristine.count / pageSize {
      let range = number * pageSize..<(number + 1) * pageSize
      for page in mishap.pages(Array(pristine[range]), &random) {
        let copy = folder.appendingPathComponent("copy.annals")
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: tallied.url, to: copy)
        var bytes = pristine
        bytes.replaceSubrange(range, with: page)
        try Data(bytes).write(to: file(copy))
        let found = try await look(copy, last: tallied.last)
        #expect(found.rows == expected, "\(mishap), page \(number)")
        #expect(found.1 <= 2, "\(mishap), page \(number)")
        if found.1 == 2 { built += 1 }
        try await withdraw(copy, file(copy, UInt64(found.1)), bytes)
      }
    }
    #expect(built > 2)
  }

  /// Withdraws the view for an erasure, with these bytes in its file, by a program that trusts its files.
  private static func withdraw(_ store: URL, _ file: URL, _ bytes: [UInt8]) async throws {
    try Data(bytes).write(to: file)
    let log = try EventLog(at: store)
    try log.core.withdrawViews(of: nil)?.end()
    let states = try log.views().map(\.state)
    #expect(states == [] || states == [.outlived])
  }

  @Test(arguments: Mishap.allCases)
  func `Every damaged page is found or harmless for a program that trusts nobody`(
    mishap: Mishap
  ) async throws {
    let place = try TemporaryStore()
    await #expect(processExitsWith: .success) {
      [folder = place.directory.path as String, mishap = mishap.rawValue as String] in
      let mishap = try #require(Mishap(rawValue: mishap))
      try await ViewDamageTests.damageEach(mishap, in: URL(fileURLWithPath: folder))
    }
  }

  /// Damages the page with the root of a tree, or every page of the rows.
  private static func spoil(_ table: String, in store: URL) throws {
    let url = file(store)
    var bytes = try [UInt8](Data(contentsOf: url))
    for number in 2..<bytes.count / pageSize {
      let kept = bytes
      for offset in number * pageSize..<number * pageSize + 16 { bytes[offset] ^= 0xff }
      try Data(bytes).write(to: url)
      let directory = try Directory.open(path: url.deletingLastPathComponent().path)
      let report = try PageCheck.run(
        url.lastPathComponent, in: directory, tables: ViewFile.definitions, maximumFindings: 1)
      if report.findings.first?.table == table { return }
      bytes = kept
    }
    Issue.record("no page is of \(table)")
  }

  @Test(arguments: ["meta", "free"])
  func `A file whose facts cannot be read is listed as damaged, and withdrawn`(table: String) async throws {
    let tallied = try await Self.folded()
    try Self.spoil(table, in: tallied.url)
    let log = try EventLog(at: tallied.url)
    #expect(try log.views().map(\.state) == [.damaged])
    #expect(try log.core.withdrawnFiles().map(\.name) == ["counts"])
    try log.core.withdrawViews(of: nil)?.end()
    #expect(try log.views().isEmpty)
    let store = try tallied.open()
    let view = try store.rebuild(Tallies.Counts.self)
    try await view.waitUntilBuilt()
    #expect(try view.read { try $0.all() } == tallied.counts())
  }

  @Test func `A damaged file that is open somewhere cannot be withdrawn`() async throws {
    let tallied = try await Self.folded()
    let store = try tallied.open()
    let view = try store.view(Tallies.Counts.self)
    try Self.spoil("free", in: tallied.url)
    let error = #expect(throws: AnnalsError.self) { try store.log.core.withdrawViews(of: nil)?.end() }
    #expect(error?.code == .busy && error?.details.file == "v-000001.mdb")
    withExtendedLifetime(view) {}
  }

  /// Changes a row without its checksum.
  private static func spoilRow(of word: String, in store: EventStore<Tallies.Plan>) throws {
    let directory = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    let file = try directory.open(1, called: "counts", of: store.log.core)
    let key = [0] + Array(word.utf8) + [0, 0]
    try file.environment.write { (transaction) throws(EnvironmentError) in
      var value = try transaction.value(forKey: key.span, in: file.rows)?.copied ?? []
      value[0] ^= 1
      try transaction.put(value.span, forKey: key.span, in: file.rows)
    }
  }

  @Test(arguments: [true, false])
  func `A read that finds damage names the file, and has the view built again`(
    isSwallowed: Bool
  ) async throws {
    let tallied = try await Self.folded()
    let store = try tallied.open()
    try Self.spoilRow(of: "w1", in: store)
    let view = try store.view(Tallies.Counts.self)
    if isSwallowed {
      _ = try view.read { (rows) throws(AnnalsError) in _ = try? rows.get(Tallies.Counts.Word.self, "w1") }
    } else {
      let error = #expect(throws: AnnalsError.self) { try view.get(Tallies.Counts.Word.self, "w1") }
      #expect(error?.code == .damaged && error?.details.file == "v-000001.mdb")
      #expect(error?.message.contains("the view 'counts': its file 'v-000001.mdb' is damaged") == true)
      #expect(error?.message.contains("waitUntilBuilt()") == true)
    }
    try await view.waiting(for: tallied.last)
    #expect(try view.read { try $0.all() } == tallied.counts())
    #expect(try view.status().reason == "its file was damaged")
    #expect(view.registered.served?.file.number == 2)
  }

  @Test func `A file that a read has found damaged is not read by the next program either`() async throws {
    let tallied = try await Self.folded()
    do {
      let store = try tallied.open()
      try Self.spoilRow(of: "w1", in: store)
      let view = try store.view(Tallies.Counts.self)
      #expect(throws: AnnalsError.self) { try view.get(Tallies.Counts.Word.self, "w1") }
    }
    #expect(try EventLog(at: tallied.url).views().allSatisfy { $0.number > 1 || $0.state == .outlived })
    let view = try tallied.open().view(Tallies.Counts.self)
    try await view.waiting(for: tallied.last)
    #expect(try view.read { try $0.all() } == tallied.counts())
  }
}
