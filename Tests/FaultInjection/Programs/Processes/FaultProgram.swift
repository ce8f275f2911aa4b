import Annals
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

/// The program that the tests in `Tests/FaultInjection/Tests/Processes` run as processes and kill.
package enum FaultProgram {
  private static let parent = getppid()

  /// Whether the process that started this one still exists. Its children must not outlive it.
  static var hasParent: Bool { getppid() == parent }

  struct WrongUse: Error {}

  /// Runs the command in the arguments. If it throws, the status is 1 and the output is the error.
  package static func main(_ words: [String]) async {
    _ = parent
    do {
      var words = words[...]
      guard let verb = words.popFirst() else { throw WrongUse() }
      try await run(verb, Array(words))
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  private static func run(_ verb: String, _ words: [String]) async throws {
    func number(_ index: Int) throws -> Int {
      guard words.indices.contains(index), let number = Int(words[index]) else { throw WrongUse() }
      return number
    }
    func text(_ index: Int) throws -> String {
      guard words.indices.contains(index) else { throw WrongUse() }
      return words[index]
    }
    /// The options for an existing store, without the guards whose numbers add up to the word at `index`.
    func options(without index: Int) throws -> StoreOptions {
      var options = StoreOptions(creation: .never)
      options.guards.subtract(EnvironmentOptions.Guards(rawValue: try number(index)))
      return options
    }
    switch verb {
    case "write":
      let past = try Journal.lines(path: text(1))
      var writer = try Writer(
        number(2), store: text(0), journal: text(1), seed: UInt64(number(3)),
        options: options(without: 5))
      ready()
      try await writer.run(after: past, count: number(4))
    case "watch":
      var watcher = try Watcher(store: text(0), journal: text(1))
      ready()
      try watcher.run()
    case "storm":
      try await Storm(store: text(0)).run(
        number(2), journal: text(1), sights: text(3), count: number(5), seed: UInt64(number(4)),
        options: options(without: 6))
    case "steps":
      try await Storm(store: text(0)).steps(journal: text(1), sights: text(2))
    case "large":
      let log = try EventLog(at: URL(fileURLWithPath: text(0)))
      let payload = try Payload(["text": .text(String(repeating: "x", count: 1 << 20))])
      for _ in 0..<(try number(1)) {
        try await log.append([NewEntry(type: "Large", version: nil, payload: payload)], to: "large")
      }
    case "cramped":
      let log = try Storm(store: text(0)).openCramped(by: number(2) << 20)
      ready()
      let signal = try text(1)
      while hasParent, unsafe access(signal, F_OK) != 0 { usleep(1000) }
      let head = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head()?.rawValue ?? 0 }
      let payload = try Payload(["text": .text("small")])
      let done = try await log.append([NewEntry(type: "Small", version: nil, payload: payload)], to: "small")
      print("\(head) \(done.position?.rawValue ?? 0)")
    case "hold":
      let directory = try Directory.open(path: text(0))
      let hold = try FileLock("write.lock", in: directory).lock(.exclusive)
      ready()
      while hasParent { usleep(1000) }
      _ = consume hold
    case "tolerate":
      try await Storm(store: text(0)).tolerate(rounds: number(1))
    case "swap":
      let names = words.dropFirst(2).map { ($0, $0 + ".planted") }
      let swapper = try Swapper(directory: text(0), names)
      ready()
      try swapper.run(until: text(1))
    case "fail":
      print(try Storm(store: text(0)).fail(until: text(1), options: options(without: 2)))
    case "seed":
      try await MealStore.seed(URL(fileURLWithPath: text(0)), calls: number(1))
    case "serve":
      let past = try Journal.lines(path: text(1))
      let writer = try MealWriter(
        number(2), store: text(0), journal: text(1), version: number(3))
      ready()
      try await writer.run(after: past, count: number(4))
    case "move":
      try await MoveProgram(url: URL(fileURLWithPath: text(0))).run(PassProgram.Wish(words.dropFirst()))
    case "roll": try await rollOut(words)
    case "pass":
      let program = PassProgram(url: URL(fileURLWithPath: try text(0)))
      let wish = try PassProgram.Wish(words.dropFirst())
      try await program.tolerate { try await program.pass(wish) }
    case "erase":
      var program = try ErasingProgram(
        URL(fileURLWithPath: text(0)), journal: text(1), seed: UInt64(number(2)))
      ready()
      try await program.run()
    case "tag":
      let past = try Journal.lines(path: text(1))
      var writer = try TagWriter(
        number(2), store: text(0), journal: text(1), seed: UInt64(number(3)))
      ready()
      try await writer.run(after: past, count: number(4))
    case "tag-compact":
      try await TagCompactor.run(URL(fileURLWithPath: text(0)), count: number(1))
    case "attach":
      var program = try AttachingProgram(
        URL(fileURLWithPath: text(0)), journal: text(1), seed: UInt64(number(2)))
      ready()
      try await program.run(isAlone: text(3) == "true")
    case "view":
      try await ViewProgram(URL(fileURLWithPath: text(0))).run(
        number(1), rebuilds: text(2) == "true", appends: text(3) == "true", seed: UInt64(number(4)))
    case "many-views":
      try await ManyViews(url: URL(fileURLWithPath: text(0)), count: number(1)).run(
        descriptors: number(2), observes: text(3) == "true", seconds: number(4))
    case "view-memory":
      try await ViewMemoryProgram(url: URL(fileURLWithPath: text(0)), limit: number(1)).run(views: number(2))
    case "generations":
      let (url, verb) = (URL(fileURLWithPath: try text(0)), try text(1))
      ready()
      try await PassProgram(url: url).tolerate {
        switch verb {
        case "rollback": print("rolled \(try EventLog.rollback(url).to)")
        case "discard": print("discarded \(try EventLog.discardPrevious(url).discarded)")
        case "accept": print("accepted \(try EventLog.accept(url).generation)")
        default: throw WrongUse()
        }
      }
    case "subscribe": try await ConsumerProgram.subscribe(text(0), journal: text(1), count: number(2))
    case "consume": try await ConsumerProgram.consume(text(0), journal: text(1))
    case "stand-by": try await ConsumerProgram.standBy(text(0))
    default: throw WrongUse()
    }
  }

  /// Reports to the parent process that the store is open.
  static func ready() {
    _ = unsafe write(STDOUT_FILENO, "!", 1)
  }
}
