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

/// A number as a type, so that a program has as many projections as it wants.
protocol Numeral: Sendable { static var number: Int { get } }
enum Zero: Numeral { static var number: Int { 0 } }
enum Next<N: Numeral>: Numeral { static var number: Int { N.number + 1 } }

/// The distances of the club again, as one of many views.
enum Numbered<N: Numeral>: Projection {
  typealias Event = ClubV1.Event
  static var name: String { "numbered-\(N.number)" }
  static var version: Int { 1 }
  static var tables: [ProjectionTable] { [.rows(ClubWalker.self)] }
  static var events: EventSelection<Event> { [\.walked] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .walked(let walked) = entry.event else { return }
    try rows.update(ClubWalker.self, walked.who, initial: ClubWalker(who: walked.who, metres: 0, walks: 0)) {
      $0.metres += walked.metres
      $0.walks += 1
    }
  }
}

/// Opens many views, and prints what they cost the process.
struct ManyViews {
  let url: URL
  let count: Int

  /// What a process uses at one moment.
  struct Use {
    var threads = 0
    var descriptors = 0
    /// The address space and the memory in use, in kibibytes.
    var space = 0
    var memory = 0

    init() throws {
      threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      for line in try Self.text("/proc/self/status").split(separator: "\n") {
        let words = line.split { $0 == " " || $0 == "\t" }
        if words.first == "VmSize:" { space = Int(words[1]) ?? 0 }
        if words.first == "VmRSS:" { memory = Int(words[1]) ?? 0 }
      }
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

  /// Prints, one number a line: threads, descriptors, kibibytes of address space, and of memory, all above
  /// those before the views were opened; then the share of a processor while nothing happens, in thousandths.
  func run(descriptors limit: Int, observes: Bool, seconds: Double) async throws {
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
    let spent = Self.spent()
    try await Task.sleep(for: .seconds(seconds))
    let share = (Self.spent() - spent) / seconds * 1000
    print(after.threads - before.threads)
    print(after.descriptors - before.descriptors)
    print(after.space - before.space)
    print(after.memory - before.memory)
    print(Int(share.rounded()))
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
    }
    try await open(Next<N>.self, store, left - 1, observes, &holds)
  }
}
