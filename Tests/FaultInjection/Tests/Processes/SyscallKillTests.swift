import Annals
import FaultPrograms
import Foundation
import Testing

/// A process that is killed at each of its system calls while it creates, appends and opens again.
@Suite(.serialized, .enabled(if: Strace.path != nil, "needs strace, which may follow processes"))
struct SyscallKillTests {
  /// The calls that change something, or that come between two such calls.
  private static let names = [
    "pwrite64", "writev", "pwritev", "lseek", "fdatasync", "fsync", "ftruncate", "fallocate", "mkdirat",
    "renameat",
    "renameat2", "unlinkat", "fchmod", "flock", "fcntl", "pread64", "openat", "mmap", "munmap", "close",
  ]

  /// The number of points to try; the long form tries all.
  private static let points = RunLength.count("ANNALS_SYSCALLS", usual: 40)

  /// A place without a store, or one with a used store.
  private func temporary(_ existing: Bool) throws -> TemporaryStore {
    let temporary = try TemporaryStore()
    if existing {
      let child = try Child.run(
        "steps", temporary.url.path, temporary.path("writer"), temporary.path("sights"))
      try #require(try child.wait() == .exit(0))
    }
    return temporary
  }

  private func history(_ temporary: TemporaryStore) throws -> History {
    try History(writers: [1: temporary.path("writer")], watchers: [temporary.path("sights")])
  }

  @Test(arguments: [false, true])
  func `a process that is killed at any system call leaves the state before or after`(
    existing: Bool
  ) throws {
    let points: [String: Set<Int>]
    do {
      let temporary = try temporary(existing)
      points = try Strace.points(
        Self.names, from: temporary.directory.lastPathComponent, trace: temporary.path("trace"), "steps",
        temporary.url.path, temporary.path("writer"), temporary.path("sights"))
    }
    #expect(points["pwrite64", default: []].count > 5 && points["fdatasync", default: []].count > 1)
    var all = Self.names.flatMap { name in points[name, default: []].sorted().map { (name, $0) } }
    var random = SeededGenerator(seed: RunLength.seed)
    all.shuffle(using: &random)
    // Of each call one point at least, and enough of those that write: most others come before the store.
    let chosen =
      Self.names.compactMap { name in all.first { $0.0 == name } }
      + all.filter { $0.0 == "pwrite64" || $0.0 == "fdatasync" }.prefix(Self.points / 4) + all
    var (kills, created, torn) = (0, 0, 0)
    for (name, count) in Self.points < all.count ? Array(chosen.prefix(Self.points)) : all {
      let temporary = try temporary(existing)
      let arguments = [temporary.url.path, temporary.path("writer"), temporary.path("sights")]
      let child = try Strace.kill(at: name, count, "steps", arguments[0], arguments[1], arguments[2])
      let end = try child.wait()
      let place = "\(name) \(count)"
      #expect(end == .signal(SIGKILL) || end == .exit(0), "\(place): \(child.text())")
      let before = try history(temporary)
      let isThere = FileManager.default.fileExists(atPath: temporary.url.path)
      if end == .signal(SIGKILL) {
        kills += 1
        if isThere { created += 1 }
      }
      if isThere {
        #expect(try temporary.problems(with: before) == [], "\(place)")
      } else {
        #expect(!existing && before.acknowledged == 0, "\(place)")
      }
      if before.calls.values.contains(where: { if case .none = $0.answer { true } else { false } }) {
        torn += 1
      }
      // The remains of the killed process block nobody, and are removed.
      let again = try Child.run("steps", arguments[0], arguments[1], arguments[2])
      #expect(try again.wait() == .exit(0), "\(place): \(again.text())")
      #expect(try temporary.problems(with: history(temporary)) == [], "\(place)")
      let names = try FileManager.default.contentsOfDirectory(atPath: temporary.directory.path)
      #expect(Set(names).isSubset(of: ["orders.annals", "writer", "sights"]), "\(place): \(names)")
    }
    // The kills really came. A point is missed if the process makes fewer calls than the traced one did:
    // their number depends on the load and on the thread that commits. How many kills of a creation come
    // after it is chance too.
    #expect(kills > min(Self.points, all.count) / 4)
    #expect(existing ? created == kills && torn > 0 : created < kills)
    print(
      "system calls of a store that is \(existing ? "there" : "created"), seed \(RunLength.seed): \(kills) kills of \(all.count) points, \(created) with a store, \(torn) inside a call"
    )
  }

  @Test func `processes that are killed during an open neither mislead others nor lose entries`() throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let store = temporary.url.path
    let storm = try Child.run(
      "storm", store, temporary.path("writer1"), "1", temporary.path("sights1"), "1", "150", "0")
    var kills = 0
    for name in ["pread64", "fcntl", "mmap", "flock"] {
      for count in 1...6 {
        let opener = try Strace.kill(
          at: name, name == "mmap" ? 40 + 4 * count : count, "storm", store, temporary.path("writer2"), "2",
          temporary.path("sights2"), "2", "1", "0")
        if try opener.wait() == .signal(SIGKILL) { kills += 1 }
      }
    }
    #expect(try storm.wait() == .exit(0), "\(storm.text())")
    #expect(kills > 10)
    let history = try History(
      writers: [1: temporary.path("writer1"), 2: temporary.path("writer2")],
      watchers: [temporary.path("sights1"), temporary.path("sights2")])
    #expect(try temporary.problems(with: history) == [])
    #expect(history.failures == [:])
  }
}
