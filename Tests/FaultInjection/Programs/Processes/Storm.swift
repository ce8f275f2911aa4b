import Annals
import AnnalsTestSupport
import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens and closes a store again and again.
struct Storm {
  let store: String

  /// Opens, reads the end of the log, makes one call of a writer or several, and closes.
  func run(
    _ writer: Int, journal: String, sights: String, count: Int, seed: UInt64, options: StoreOptions,
    calls: Int = 1
  )
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let next = Writer.resume(writer, after: try Journal.lines(path: journal)).next
    let notes = try Journal(path: sights)
    for call in 0..<count where FaultProgram.hasParent {
      let begun = Journal.now
      var life = try Writer(writer, store: store, journal: journal, seed: random.next(), options: options)
      let head = try life.head()
      try notes.note("saw", "\(begun)", "\(Journal.now)", "\(head)")
      for number in 0..<calls { try await life.make(next + call * calls + number) }
    }
  }

  /// Creates the store if it is missing, makes three calls in it, opens it again and makes two more.
  func steps(journal: String, sights: String) async throws {
    for (count, seed) in [(3, 1), (2, 2)] as [(Int, UInt64)] {
      try await run(
        1, journal: journal, sights: sights, count: 1, seed: seed, options: StoreOptions(), calls: count)
    }
  }

  /// Opens, appends and closes, and accepts every typed error. Prints the outcomes of the rounds with their
  /// counts.
  ///
  /// It stops early if rounds take long, and goes on until it has met both an append and an error.
  func tolerate(rounds: Int) async throws {
    var ends: [String: Int] = [:]
    let begin = ContinuousClock.now
    var round = 0
    while FaultProgram.hasParent {
      let hasMetBoth = ends["appended"] != nil && ends.count > 1
      let time = ContinuousClock.now - begin
      if hasMetBoth ? round >= rounds || time > .milliseconds(60 * rounds) : time > .seconds(120) { break }
      round += 1
      let entry = NewEntry(type: "Noted", version: nil, payload: try Payload(["round": .init(round)]))
      do throws(AnnalsError) {
        let log = try EventLog(at: URL(fileURLWithPath: store), options: StoreOptions(creation: .never))
        try await log.append([entry], to: "a")
        ends["appended", default: 0] += 1
      } catch {
        ends[error.code.description, default: 0] += 1
      }
    }
    print(ends.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
  }

  struct WasOpened: Error {}

  /// Tries to open with too little address space for the log, which LMDB discovers in the middle of its open.
  func fail(until stop: String, options: StoreOptions) throws -> Int {
    var failures = 0
    let restore = try Self.limitAddressSpace(8 << 20)
    // Under the limit, the process has no stack for the thread that reports the result.
    defer { restore() }
    while FaultProgram.hasParent, unsafe access(stop, F_OK) != 0 {
      do {
        _ = try EventLog(at: URL(fileURLWithPath: store), options: options)
        throw WasOpened()
      } catch let error as AnnalsError {
        let isExpected = error.code == .inputOutput && error.message.contains("mdb_env_open")
        if isExpected { failures += 1 }
        // Without guards the store may fail with any message.
        if !isExpected && options.guards == .all { throw error }
      }
    }
    return failures
  }

  /// Opens the store while the process may take only a few more bytes of address space, then removes the
  /// limit.
  func openCramped(by bytes: Int) throws -> EventLog {
    let restore = try Self.limitAddressSpace(bytes)
    defer { restore() }
    return try EventLog(at: URL(fileURLWithPath: store), options: StoreOptions(creation: .never))
  }

  /// Limits the process to a few more bytes of address space.
  ///
  /// - Returns: A function that removes the limit.
  private static func limitAddressSpace(_ more: Int) throws -> () -> Void {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
      let resource = RLIMIT_AS
    #endif
    var before = rlimit()
    guard unsafe getrlimit(resource, &before) == 0 else {
      throw SystemFailure(call: "getrlimit", errno: errno)
    }
    var limit = before
    limit.rlim_cur = try addressSpaceInUse() + rlim_t(more)
    guard unsafe setrlimit(resource, &limit) == 0 else {
      throw SystemFailure(call: "setrlimit", errno: errno)
    }
    return {
      var before = before
      unsafe setrlimit(resource, &before)
    }
  }

  /// The bytes of address space that this process has taken.
  private static func addressSpaceInUse() throws -> rlim_t {
    guard let file = unsafe fopen("/proc/self/statm", "r") else {
      throw SystemFailure(call: "fopen", errno: errno)
    }
    defer { unsafe fclose(file) }
    var bytes = [CChar](repeating: 0, count: 64)
    let count = unsafe fread(&bytes, 1, bytes.count - 1, file)
    let digits = bytes.prefix(count).map { UInt8(bitPattern: $0) }.prefix { (48...57).contains($0) }
    return (rlim_t(String(decoding: digits, as: UTF8.self)) ?? 0) * 4096
  }
}
