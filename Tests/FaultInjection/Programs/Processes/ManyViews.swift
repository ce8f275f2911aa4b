import Annals

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

/// A number as a type, so that a program can have any number of projections.
protocol Numeral: Sendable { static var number: Int { get } }
enum Zero: Numeral { static var number: Int { 0 } }
enum Next<N: Numeral>: Numeral { static var number: Int { N.number + 1 } }

/// The distances of the club again, as one of many views.
enum Numbered<N: Numeral>: Projection {
  typealias Event = ClubV1.Event
  static var name: String { "numbered-\(N.number)" }
  static var version: Int { 1 }
  static var tables: [ProjectionTable] { [.rows(ClubWalker.self)] }
  static var events: EventQuery<Event> { [\.walked] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .walked(let walked) = entry.event else { return }
    try rows.update(ClubWalker.self, walked.who, initial: ClubWalker(who: walked.who, metres: 0, walks: 0)) {
      $0.metres += walked.metres
      $0.walks += 1
    }
  }
}

/// Opens many views, and prints their cost to the process.
struct ManyViews {
  let url: URL
  let count: Int

  /// The resources of a process at one moment.
  struct Use {
    var threads = 0
    var descriptors = 0
    /// The address space and the anonymous memory in use, in kibibytes.
    var space = 0
    var memory = 0
    /// The number of times a thread has ended a rest.
    var wakes = 0

    init() throws {
      let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
      threads = tasks.count
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      space = try Self.number("VmSize:", in: "/proc/self/status")
      memory = try Self.number("RssAnon:", in: "/proc/self/status")
      for task in tasks {
        // A thread may have ended meanwhile.
        wakes += (try? Self.number("voluntary_ctxt_switches:", in: "/proc/self/task/\(task)/status")) ?? 0
      }
    }

    private static func number(_ name: String, in path: String) throws -> Int {
      for line in try text(path).split(separator: "\n") {
        let words = line.split { $0 == " " || $0 == "\t" }
        if words.first.map(String.init) == name { return Int(words[1]) ?? 0 }
      }
      return 0
    }

    private static func text(_ path: String) throws -> String {
      guard let file = unsafe fopen(path, "r") else { throw FaultProgram.WrongUse() }
      defer { unsafe fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 8192)
      let count = unsafe fread(&bytes, 1, bytes.count, file)
      return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  /// Seconds of processor time of this process so far.
  private static func spent() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Prints one number a line. The first are threads, descriptors, kibibytes of address space and of memory,
  /// all above their values before the views were opened. The last are the cost of an idle second:
  /// thousandths of a processor, in the best second, and wakes of threads, on average.
  func run(descriptors limit: Int, observes: Bool, seconds: Int) async throws {
    if limit > 0 {
      // Descriptors that the parent has left open are no cost of views.
      let inherited = try Use().descriptors - 3
      var limits = rlimit(
        rlim_cur: rlim_t(limit + inherited), rlim_max: rlim_t(limit + inherited))
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else {
        throw FaultProgram.WrongUse()
      }
    }
    let store = try EventStore(at: url, plan: Club.self)
    _ = try await store.append([.walked(.init(who: "p1", metres: 1))], to: "walks")
    let before = try Use()
    var holds: [any Sendable] = []
    try await open(Zero.self, store, count, observes, &holds)
    try await Task.sleep(for: .seconds(1))
    let after = try Use()
    // Until rows that are not needed are freed, and the look for commits has become rare.
    if seconds > 0 { try await Task.sleep(for: .seconds(3)) }
    var share = 1_000.0
    let wakes = try Use().wakes
    for _ in 0..<seconds {
      let spent = Self.spent()
      try await Task.sleep(for: .seconds(1))
      share = min(share, (Self.spent() - spent) * 1_000)
    }
    print(after.threads - before.threads)
    print(after.descriptors - before.descriptors)
    print(after.space - before.space)
    print(after.memory - before.memory)
    print(Int(share.rounded()))
    print((try Use().wakes - wakes) / max(seconds, 1))
    _ = holds
    withExtendedLifetime(store) {}
  }

  private func open<N: Numeral>(
    _ numeral: N.Type, _ store: EventStore<Club>, _ left: Int, _ observes: Bool,
    _ holds: inout [any Sendable]
  ) async throws {
    if left == 0 { return }
    let view = try store.view(Numbered<N>.self)
    let head = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() } ?? 0
    try await view.waitUntil(head, timeout: .seconds(60))
    holds.append(view)
    if observes {
      let changes = view.changes(of: ClubWalker.self)
      holds.append(Task { for try await _ in changes {} })
      holds.append(await LiveQuery(RowQuery(ClubWalker.byMetres), in: view))
      holds.append(Task { for try await _ in store.subscribe(from: .end, to: [\.walked]) {} })
    }
    try await open(Next<N>.self, store, left - 1, observes, &holds)
  }
}
