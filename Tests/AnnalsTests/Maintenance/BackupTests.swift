import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import LMDB

/// Copies of stores: what they have, what they leave out, and what becomes of them when something fails.
@Suite struct BackupTests {
  /// Where a copy goes.
  private func copy(beside place: TemporaryStore) -> URL {
    place.directory.appendingPathComponent("copy.annals")
  }

  private static func lines(_ url: URL) throws -> [UInt8] {
    var lines = try EntryLines(EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never)))
    var bytes: [UInt8] = []
    while let page = try lines.nextPage() { bytes += page }
    return bytes
  }

  private func meta(_ url: URL) throws -> StoreMeta {
    try EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never)).read {
      (snapshot) throws(AnnalsError) in try snapshot.reader.meta()
    }
  }

  @Test func `a backup has the entries, the generation and the log of its store`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for number in 0..<100 { try await log.append([.placed(number)], to: "order-\(number % 7)") }
    let report = try log.backup(to: copy(beside: place))
    #expect(report.entries == 100)
    #expect(report.streams == 7)
    #expect(report.generation == 1)
    #expect(report.incarnation == 0)
    #expect(try Self.lines(copy(beside: place)) == Self.lines(place.url))
    #expect(try meta(copy(beside: place)).log == log.id)
    #expect(try EventLog.verify(copy(beside: place)).isClean)
  }

  @Test func `a backup of an empty store is an empty store`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    #expect(try log.backup(to: copy(beside: place)).entries == 0)
    #expect(try EventLog.verify(copy(beside: place)).isClean)
    try await EventLog(at: copy(beside: place)).append([.placed(1)], to: "a")
  }

  @Test func `appends to a backup and to its store do not meet`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    try log.backup(to: copy(beside: place))
    let other = try EventLog(at: copy(beside: place))
    try await other.append([.placed(2)], to: "a", expecting: .revision(0))
    try await log.append([.placed(3), .placed(4)], to: "a", expecting: .revision(0))
    #expect(try other.read { (snapshot) throws(AnnalsError) in try snapshot.all().count } == 2)
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count } == 3)
  }

  // Promise P135.
  @Test func `a backup under a writer is a prefix of the log that ends with a call`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let payload = try Payload(["text": .init(String(repeating: "x", count: 500))])
    let calls = (0..<400).map { number in
      [0, 1].map {
        NewEntry(type: "T\($0)", version: nil, payload: payload, id: UUID(), metadata: ["n": .init(number)])
      }
    }
    for call in calls.prefix(100) { try await log.append(call, to: "a") }
    async let writing: Void = {
      for call in calls.dropFirst(100) { try await log.append(call, to: "b") }
    }()
    var counts: [UInt64] = []
    for number in 0..<4 {
      let url = place.directory.appendingPathComponent("copy-\(number).annals")
      counts.append(try log.backup(to: url).entries)
      #expect(try EventLog.verify(url).isClean)
    }
    try await writing
    let whole = try Self.lines(place.url)
    for (number, count) in counts.enumerated() {
      let part = try Self.lines(place.directory.appendingPathComponent("copy-\(number).annals"))
      #expect(whole.starts(with: part))
      #expect(part.count { $0 == UInt8(ascii: "\n") } == Int(count))
      #expect(count % 2 == 0)
      #expect(count >= 200)
    }
    #expect(counts == counts.sorted())
  }

  @Test func `a backup has none of the pages that nothing uses`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for number in 0..<500 { try await log.append([.placed(number)], to: "a") }
    let report = try log.backup(to: copy(beside: place))
    let info = try EventLog.inspect(place.url)
    #expect(info.free > 0)
    // Writes into the copy afterwards replace a few pages.
    #expect(report.bytes <= info.used + 16 * 4096)
  }

  @Test(arguments: [StoreMeta.State.live, .appendsSuspended])
  func `a copy is live, and has nothing of a pass`(state: StoreMeta.State) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    let tables = log.core.generation.tables
    var meta = log.core.generation.meta
    meta.state = state
    let pass = PassRow(id: UUID(), other: 2, plan: Array(repeating: 7, count: 32), version: nil, position: 1)
    try log.core.generation.environment.write(failure: AnnalsError.init) {
      [meta] (transaction) throws(AnnalsError) in
      try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: tables.meta)
      try transaction.put(pass.encoded(), PassRow.name, in: tables.meta)
      try transaction.put(
        PredecessorRow(generation: 4, last: 1).encoded(), PredecessorRow.name, in: tables.meta)
    }
    try log.backup(to: copy(beside: place))
    let restored = place.directory.appendingPathComponent("restored.annals")
    try EventLog.restore(place.url, to: restored)
    for url in [copy(beside: place), restored] {
      try EventLog(at: url).read { (snapshot) throws(AnnalsError) in
        let reader = snapshot.reader
        #expect(try reader.meta().state == .live)
        for name in [PassRow.name, PredecessorRow.name] {
          let row: Void? = try reader.row(name, in: tables.meta) { _ throws(FormatFailure) in }
          #expect(row == nil)
        }
      }
    }
  }

  @Test func `a restored store is a new incarnation that branches off after its last position`() async throws
  {
    let place = try TemporaryStore()
    let log = try place.open()
    for number in 0..<3 { try await log.append([.placed(number)], to: "a") }
    let restored = place.directory.appendingPathComponent("restored.annals")
    #expect(try EventLog.restore(place.url, to: restored).incarnation == 1)
    #expect(try meta(restored).incarnation == (1, 3))
    try await EventLog(at: restored).append([.placed(9)], to: "a")
    let again = place.directory.appendingPathComponent("again.annals")
    #expect(try EventLog.restore(restored, to: again).incarnation == 2)
    #expect(try meta(again).incarnation == (2, 4))
    #expect(try meta(place.url).incarnation == (0, 0))
    #expect(try meta(again).log == log.id)
  }

  @Test func `a damaged entry is named, and no copy is made of it`() async throws {
    let place = try TemporaryStore()
    do {
      let log = try place.open()
      for number in 1...200 {
        try await log.append(
          [
            NewEntry(
              type: "Placed", version: nil, payload: try Payload(["marker": .init("find-me-\(number)")]))
          ], to: "a")
      }
    }
    try place.damage("find-me-123")
    let log = try EventLog(at: place.url, options: StoreOptions(access: .readOnly))
    for make in [
      { try log.backup(to: copy(beside: place)) },
      { try EventLog.restore(place.url, to: copy(beside: place)) },
    ] as [() throws -> CopyReport] {
      let error = #expect(throws: AnnalsError.self) { try make() }
      #expect(error?.code == .damaged)
      #expect(error?.details.position == 123)
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
    }
  }

  @Test(.enabled(if: Mount.isPossible, "only who may mount has a disk that is full"))
  func `too little room is known before anything is copied`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let log = try place.open()
      for _ in 0..<40 { try await log.append([.sized(50_000)], to: "a") }
      let folder = place.directory.appendingPathComponent("disk")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let disk = try Mount.memory(2 << 20, at: folder.path)
      let error = #expect(throws: AnnalsError.self) {
        try log.backup(to: disk.appendingPathComponent("copy.annals"))
      }
      #expect(error?.code == .diskFull)
      #expect(error?.message.contains("nothing was created") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
    }
  }

  @Test(arguments: [0, 4096, 20_000, 100_000, 200_000])
  func `a disk that is full in the midst of a copy leaves nothing`(bytes: Int) async throws {
    await #expect(processExitsWith: .success) { [bytes = bytes as Int] in
      let place = try TemporaryStore()
      let log = try place.open()
      for _ in 0..<10 { try await log.append([.sized(30_000)], to: "a") }
      signal(SIGXFSZ, SIG_IGN)
      for isRestore in [false, true] {
        try #require(ProcessLimit.fileSize.set(bytes))
        let url = place.directory.appendingPathComponent("copy.annals")
        let error = #expect(throws: AnnalsError.self) {
          if isRestore { try EventLog.restore(place.url, to: url) } else { try log.backup(to: url) }
        }
        try #require(ProcessLimit.fileSize.set(nil))
        #expect(error?.code == .diskFull)
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
      }
      try log.backup(to: place.directory.appendingPathComponent("copy.annals"))
    }
  }

  @Test func `the remains of a killed copy are removed by the next one`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    let left = place.directory.appendingPathComponent(".copy.annals.77.tmp")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
    try Data().write(to: left.appendingPathComponent("open.lock"))
    try Data([1]).write(to: left.appendingPathComponent("log-000001.mdb"))
    try log.backup(to: copy(beside: place))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.directory.path).sorted()
        == ["copy.annals", "orders.annals"])
  }

  @Test func `files of a copy are for their owner alone`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    try log.backup(to: copy(beside: place))
    let path = copy(beside: place).path
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(name)")
    }
    let directory = try FileManager.default.attributesOfItem(atPath: path)
    #expect((directory[.posixPermissions] as? Int) == 0o700)
  }

  @Test func `nothing is added to the source of a restored store`() async throws {
    let place = try TemporaryStore()
    do { try await place.open().append([.placed(1)], to: "a") }
    for name in ["open.lock", "queue.lock", "write.lock", "log-000001.lease", "log-000001.mdb-lock"] {
      try FileManager.default.removeItem(at: place.url.appendingPathComponent(name))
    }
    try EventLog.restore(place.url, to: copy(beside: place))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.url.path).sorted()
        == ["CURRENT", "log-000001.mdb"])
  }
}

extension TemporaryStore {
  /// Flips a bit of every copy of `text` in the log's file, the live one among them.
  fileprivate func damage(_ text: String) throws {
    let file = url.appendingPathComponent("log-000001.mdb")
    var bytes = try Data(contentsOf: file)
    var start = bytes.startIndex
    while let found = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
      bytes[found.lowerBound] ^= 0x20
      start = found.upperBound
    }
    try bytes.write(to: file)
  }
}
