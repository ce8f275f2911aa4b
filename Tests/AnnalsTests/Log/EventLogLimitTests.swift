import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// What an append takes at most, and what it refuses before anything is written.
@Suite struct EventLogLimitTests {
  /// What the append threw, having made sure that nothing was written.
  private func refusal(
    _ place: TemporaryStore, _ log: EventLog, _ body: (inout AppendCall<NewEntry>) -> Void
  ) async throws -> AnnalsError? {
    let before = try place.files()
    var refusal: AnnalsError?
    do throws(AnnalsError) { try await log.append(body) } catch { refusal = error }
    #expect(try place.files() == before)
    return refusal
  }

  private static let longest = String(repeating: "é", count: 250)
  private static let refused = ["", "a\0b", "\0", longest + "x", String(repeating: "n", count: 100_000)]
  private static let weird = [
    longest, "é", "e\u{301}", "..", "/", "../../etc/passwd", "\n", "\r\n", " ", "🏏", "\u{feff}a", "a", "A",
    "\u{c5}", "A\u{30a}",
    "\u{202e}x", "CURRENT", "%00", "\u{7f}",
  ]

  @Test(arguments: refused) func `a stream's name that cannot be is refused`(name: String) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let entry = try NewEntry.sized(1)
    let refusals = [
      try await refusal(place, log) { $0.append([entry], to: StreamName(name)) },
      try await refusal(place, log) { $0.check(StreamName(name), .noStream) },
    ]
    #expect(refusals.map { $0?.code } == [.invalidName, .invalidName])
    #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: StreamName(name)) }
    }
    #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: StreamName(name)) }
    }
  }

  @Test(arguments: refused) func `a type's name that cannot be is refused`(name: String) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let entry = try NewEntry.sized(1, type: name)
    #expect(try await refusal(place, log) { $0.append([entry], to: "a") }?.code == .invalidName)
  }

  @Test func `names differ by their bytes alone, and are only names`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for name in Self.weird {
      let done = try await log.append([.sized(1, type: name)], to: StreamName(name), expecting: .noStream)
      #expect(done.revision == 0)
    }
    try log.read { (snapshot) throws in
      let all = try snapshot.all()
      #expect(all.map { Array($0.stream.text.utf8) } == Self.weird.map { Array($0.utf8) })
      #expect(all.map { Array($0.type.utf8) } == Self.weird.map { Array($0.utf8) })
    }
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
  }

  @Test func `a payload over the limit is refused, one at the limit is stored`() async throws {
    let place = try TemporaryStore()
    let log = try place.open(StoreOptions(maximumPayload: 1000))
    let entry = try NewEntry.sized(991)
    #expect(entry.payload.bytes.count == 1000)
    try await log.append([entry], to: "a")
    let larger = try NewEntry.sized(992)
    let error = try await refusal(place, log) { $0.append([entry, larger], to: "a") }
    #expect(error?.code == .tooLarge)
    #expect(error?.details.stream == "a")
    #expect(error?.message.contains("1001") == true)
  }

  @Test(arguments: [0, -1, (100 << 20) + 1, Int.max])
  func `a limit that cannot be is refused and creates nothing`(limit: Int) throws {
    let place = try TemporaryStore()
    let error = #expect(throws: AnnalsError.self) { try place.open(StoreOptions(maximumPayload: limit)) }
    #expect(error?.code == .wrongUse)
    #expect(!FileManager.default.fileExists(atPath: place.url.path))
  }

  @Test func `the limits are those that the documentation names`() {
    #expect(StoreOptions().maximumPayload == 64 << 20)
    #expect(AppendLimit.transaction == 128 << 20)
    #expect(AppendLimit.metadata == 1 << 20)
  }

  @Test func `a call over 128 MiB is refused before any transaction`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    // One array, many times: the call is large, the test is not.
    let entry = try NewEntry.sized(1 << 20)
    let error = try await refusal(place, log) { $0.append([NewEntry](repeating: entry, count: 128), to: "a") }
    #expect(error?.code == .tooLarge)
    let split = try await refusal(place, log) { call in
      for _ in 0..<128 { call.append([entry], to: "a") }
    }
    #expect(split?.code == .tooLarge)
    try await log.append([entry], to: "a")
  }

  @Test func `metadata over a mebibyte is refused`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    var entry = try NewEntry.sized(1)
    entry.metadata = ["note": .text(String(repeating: "n", count: 1 << 20))]
    #expect(try await refusal(place, log) { $0.append([entry], to: "a") }?.code == .tooLarge)
    entry.metadata = ["note": .text(String(repeating: "n", count: (1 << 20) - 20))]
    try await log.append([entry], to: "a")
    #expect(
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().first?.metadata } == entry.metadata)
  }

  @Test(arguments: [Int64.min, -62_135_596_800_000_001, 253_402_300_800_000_000, Int64.max])
  func `a time outside the years 1 to 9999 is refused`(microseconds: Int64) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    var entry = try NewEntry.sized(1)
    entry.time = Timestamp(microseconds: microseconds)
    #expect(try await refusal(place, log) { $0.append([entry], to: "a") }?.code == .malformed)
  }

  @Test func `the first and the last time that can be are stored`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for time in [Timestamp.range.lowerBound, Timestamp.range.upperBound] {
      var entry = try NewEntry.sized(1)
      entry.time = time
      try await log.append([entry], to: "a")
    }
    let times = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().map(\.time.description) }
    #expect(times == ["0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"])
  }

  @Test func `an event's time outside the years 1 to 9999 is refused through a plan too`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: Specimen.Plan.self)
    for seconds in [-1e300, -7e10, 3e11, 1e300, .infinity, -.infinity, .nan] {
      let event = NewEvent<OrdersV1.Event>(
        .pinged(.init(number: 1)), time: Date(timeIntervalSinceReferenceDate: seconds))
      let error = await #expect(throws: AnnalsError.self) { try await store.append([event], to: "a") }
      #expect(error?.code == .malformed)
    }
    #expect(try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == nil)
  }

  @Test func `the largest revision is expected in vain`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let entry = try NewEntry.sized(1)
    try await log.append([entry], to: "old")
    for stream in ["old", "new"] as [StreamName] {
      let error = try await refusal(place, log) {
        $0.append([entry], to: stream, expecting: .revision(Revision(.max)))
      }
      #expect(error?.code == .conflict)
      #expect(
        error?.details.violations == [
          Violation(stream: stream, expected: .revision(Revision(.max)), actual: stream == "old" ? 0 : nil)
        ])
    }
  }

  @Test func `nothing to append succeeds and creates nothing`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let before = try place.files()
    #expect(try await log.append([], to: "a").positions == [])
    #expect(try await log.append { _ in }.positions == [])
    #expect(try await log.append { $0.check("a", .noStream) }.positions == [])
    #expect(try place.files() == before)
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "a") } == nil)
    #expect(try await refusal(place, log) { $0.append([], to: "a", expecting: .exists) }?.code == .conflict)
  }

  @Test func `a stream that is only checked decides the call`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let entry = try NewEntry.sized(1)
    try await log.append([entry], to: "checked")
    let error = try await refusal(place, log) { call in
      call.append([entry], to: "written", expecting: .exists)
      call.check("checked", .revision(1))
      call.check("checked", .exists)
      call.check("other", .exists)
    }
    #expect(error?.details.violations.map(\.stream) == ["written", "checked", "other"])
    let done = try await log.append { call in
      call.append([entry], to: "written", expecting: .noStream)
      call.check("checked", .revision(0))
    }
    #expect(done.positions == [2])
  }

  @Test func `a cancelled task writes nothing`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await log.append([.sized(1)], to: "a")
    }
    let result = await task.result
    #expect(throws: AnnalsError.self) { try result.get() }
    #expect(
      { if case .failure(let error as AnnalsError) = result { error.code == .cancelled } else { false } }())
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == nil)
  }

  @Test func `a store that was opened for reading takes no append`() async throws {
    let place = try TemporaryStore()
    _ = try place.open()
    let log = try place.open(StoreOptions(access: .readOnly))
    let entry = try NewEntry.sized(1)
    #expect(try await refusal(place, log) { $0.append([entry], to: "a") }?.code == .readOnly)
  }
}
