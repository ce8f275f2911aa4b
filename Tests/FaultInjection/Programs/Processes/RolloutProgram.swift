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

/// A program of one version in the roll-out of the next. It appends and reads in turns, or takes a step of
/// the roll-out.
struct RolloutProgram<Plan: SchemaMigrationPlan> where Plan.Current.Event: Weighing {
  private let store: EventStore<Plan>

  /// A program with the store at `path` open.
  init(store path: String) throws {
    store = try EventStore(
      at: URL(fileURLWithPath: path), plan: Plan.self, options: StoreOptions(creation: .never))
  }

  struct Unsound: Error {
    let problem: String
  }

  /// Appends and reads until `signal` exists, the program is superseded, or its parent ends.
  func run(by: Int32, journal path: String, until signal: String) async throws {
    let journal = try Journal(path: path)
    FaultProgram.ready()
    var number: Int32 = 0
    var seen = 0
    while FaultProgram.hasParent, unsafe access(signal, F_OK) != 0 {
      do {
        var isBehind = false
        do { seen = try look(by: by, upTo: number, atLeast: seen) } catch let error as AnnalsError
          where error.code == .newerSchema
        {
          // The next version is active and has stored events that this one cannot read. This one has not
          // appended since.
          isBehind = true
        }
        try journal.note("begin", "\(number)")
        let done = try await store.append([.weighing(by: by, number)], to: "weighings-\(by)")
        if isBehind { throw Unsound(problem: "it has appended beside events that it cannot read") }
        try journal.note("done", "\(number)", "\(done.position?.rawValue ?? 0)")
        number += 1
        usleep(2_000)
      } catch let error as AnnalsError where error.code == .superseded {
        try journal.note("superseded")
        return
      }
    }
  }

  /// Reads all events.
  ///
  /// - Parameters:
  ///   - number: The number of events that this process has appended.
  ///   - least: The number of events at the last read.
  /// - Returns: The number of events.
  private func look(by: Int32, upTo number: Int32, atLeast least: Int) throws -> Int {
    var (own, count) = (Int32(0), 0)
    try store.read { snapshot in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        guard let sound = entry.event.sound else {
          throw Unsound(problem: "the event at \(entry.position) is not what was appended")
        }
        if sound.by == by {
          guard sound.number == own else { throw Unsound(problem: "\(sound.number) in place of \(own)") }
          own += 1
        }
        count += 1
      }
    }
    guard own == number, count >= least else {
      throw Unsound(problem: "\(own) own events of \(number), \(count) events, \(least) before")
    }
    return count
  }

  /// Holds a lease and does nothing.
  func hold() {
    FaultProgram.ready()
    while FaultProgram.hasParent { usleep(1_000) }
  }

  /// Takes a step of the roll-out, and prints its result.
  func step(_ verb: String) async throws {
    FaultProgram.ready()
    do {
      switch verb {
      case "activate": print(try store.activate().isActivated ? "activated" : "active")
      case "supersede": print(try store.activate(superseding: true).isActivated ? "activated" : "active")
      case "migrate": print("migrated \(try await store.migrate().report().entries)")
      case "contract":
        let found = try store.contract(ContractOptions(isRehearsal: true))
        let report = try store.contract(ContractOptions(confirming: found.droppedEntries))
        print(report.isContracted ? "contracted" : "left")
      default: throw FaultProgram.WrongUse()
      }
    } catch let error as AnnalsError {
      print("\(error.code)")
    }
  }
}

extension FaultProgram {
  /// Runs a program of a roll-out. The words are the plan (`first`, `superset` or `lowered`), the store, and
  /// the action.
  static func rollOut(_ words: [String]) async throws {
    guard words.count >= 3 else { throw WrongUse() }
    do {
      switch words[0] {
      case "first": try await rollOut(FirstWeighings.self, words)
      case "superset": try await rollOut(SupersetPlan.self, words)
      case "lowered": try await rollOut(LoweredPlan.self, words)
      default: throw WrongUse()
      }
    } catch let error as AnnalsError where error.code == .superseded {
      print("superseded")
    }
  }

  private static func rollOut<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ words: [String]
  ) async throws where Plan.Current.Event: Weighing {
    let program = try RolloutProgram<Plan>(store: words[1])
    switch words[2] {
    case "run":
      guard words.count == 6, let by = Int32(words[3]) else { throw WrongUse() }
      try await program.run(by: by, journal: words[4], until: words[5])
    case "hold": program.hold()
    default: try await program.step(words[2])
    }
  }
}
