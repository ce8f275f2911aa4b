import Annals
import AnnalsTestSupport
import Synchronization

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

/// Runs migration passes and the operations on generations that follow them. Kills itself at a named step of
/// a pass.
struct PassProgram {
  let url: URL

  /// The number of entries in a batch, small enough that a small store has several batches.
  private static let batch = 25

  /// The request in the words after the store's path: `POINT:N`, `hold`, `restart`, `compact`, `slow`,
  /// `append`, `limit:BYTES`, `archive`.
  struct Wish {
    var end: (point: PassPoint, count: Int)?
    var isHolding = false
    var isRestart = false
    var isCompaction = false
    var isSlow = false
    /// Whether the pass itself appends while it catches up, so that there is a round.
    var appends = false
    /// Whether removed values go to the file `archive` next to the store.
    var archives = false
    /// The most bytes that a file may have.
    var limit: Int?

    init(_ words: some Sequence<String>) throws {
      for word in words {
        let parts = word.split(separator: ":")
        switch word {
        case "hold": isHolding = true
        case "restart": isRestart = true
        case "compact": isCompaction = true
        case "slow": isSlow = true
        case "append": appends = true
        case "archive": archives = true
        default:
          if parts.count == 2, parts[0] == "limit" {
            limit = Int(parts[1])
            continue
          }
          guard parts.count == 2, let point = PassPoint(rawValue: String(parts[0])), let count = Int(parts[1])
          else { throw FaultProgram.WrongUse() }
          end = (point, count)
        }
      }
    }
  }

  /// Runs one pass. Prints the generation in use at its end, and the position at which it resumed.
  func pass(_ wish: Wish) async throws {
    let store = try EventStore(at: url, plan: Meals.self, options: StoreOptions(creation: .never))
    var options = MigrationOptions()
    options.batch = Self.batch
    options.durableBatch = Self.batch
    options.isHolding = wish.isHolding
    if wish.archives { options.archive = url.deletingLastPathComponent().appendingPathComponent("archive") }
    if wish.isSlow { options.rate = 1_500 }
    if wish.isRestart { options.unfinished = .discard }
    let steps = Steps(wish, store)
    options.atPoint = { steps.meet($0) }
    FaultProgram.ready()
    if let limit = wish.limit, !ProcessLimit.fileSize.set(limit) {
      throw SystemFailure(call: "setrlimit", errno: errno)
    }
    let run = wish.isCompaction ? try store.log.compact(options) : try store.migrate(options)
    let report = try await run.report()
    print(
      "\(report.isDone ? "done" : "nothing") \(report.generation) \(report.resumedAt) \(steps.met.joined(separator: " "))"
    )
  }

  /// Runs `body`, which the library may refuse.
  func tolerate(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as AnnalsError {
      print("refused \(error.code) \(error.message)")
    }
  }
}

/// Counts the steps of a pass.
private final class Steps: Sendable {
  private let wish: PassProgram.Wish
  private let store: EventStore<Meals>
  private let counts = Mutex<[PassPoint: Int]>([:])

  init(_ wish: PassProgram.Wish, _ store: EventStore<Meals>) {
    self.wish = wish
    self.store = store
  }

  /// The steps that were met, each once.
  var met: [String] { counts.withLock { $0.keys.map(\.rawValue).sorted() } }

  /// Notes a step, and ends the process if this is the requested one.
  func meet(_ point: PassPoint) {
    let count = counts.withLock { counts in
      counts[point, default: 0] += 1
      return counts[point, default: 0]
    }
    if let end = wish.end, end.point == point, end.count == count { kill(getpid(), SIGKILL) }
    if wish.appends, point == .verified { append() }
  }

  /// Appends an event and waits until it is stored.
  private func append() {
    let isDone = Atomic(false)
    Task {
      let event = MealsV2.Event.noted(.init(who: "the pass", text: "meanwhile"))
      do { try await store.append([event], to: "pass") } catch { print("\(error)") }
      isDone.store(true, ordering: .releasing)
    }
    while !isDone.load(ordering: .acquiring) { usleep(200) }
  }
}
