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

/// Appends during a pass, as the plan's first version or its second, until it is killed or the store has
/// outgrown the first version.
struct MealWriter {
  private enum Store {
    case first(EventStore<FirstMeals>)
    case second(EventStore<Meals>)
  }

  private let number: Int
  private let journal: Journal
  private let store: Store

  /// The writer `number` of the store at `path`.
  ///
  /// - Parameter version: The version of its program: 1 or 2.
  init(_ number: Int, store path: String, journal: String, version: Int) throws {
    self.number = number
    self.journal = try Journal(path: journal)
    let (url, options) = (URL(fileURLWithPath: path), StoreOptions(creation: .never))
    store =
      version == 1
      ? .first(try EventStore(at: url, plan: FirstMeals.self, options: options))
      : .second(try EventStore(at: url, plan: Meals.self, options: options))
  }

  /// Repeats the call that an earlier life was killed in, then makes `count` calls of its own.
  func run(after past: [[String]], count: Int) async throws {
    var next = 0
    for words in past where words.count > 1 {
      let number = Int(words[1]) ?? 0
      next = max(next, words[0] == "begin" ? number : number + 1)
    }
    for number in next..<next + count where FaultProgram.hasParent {
      guard try await make(MealCall(writer: self.number, number: number)) else { return }
    }
  }

  /// Makes the call until it is answered.
  ///
  /// - Returns: Whether this program can go on with the store.
  private func make(_ call: MealCall) async throws -> Bool {
    try journal.note("begin", "\(call.number)")
    while FaultProgram.hasParent {
      do {
        let done = try await append(call)
        let places = zip(done.positions, done.revisions).map { "\($0):\($1)" }
        try journal.note("done", "\(call.number)", places.joined(separator: " "))
        // The log must stay small enough for a short test to copy.
        usleep(4_000)
        return true
      } catch let error as AnnalsError {
        switch error.code {
        // Another process accepts the generation, or rolls back.
        case .appendsSuspended: usleep(1_000)
        case .newerSchema where isFirst:
          try journal.note("outgrown", "\(call.number)")
          return false
        default:
          try journal.note("failed", "\(call.number)", "\(error.code)", error.message)
          throw error
        }
      }
    }
    return false
  }

  private var isFirst: Bool {
    if case .first = store { true } else { false }
  }

  private func append(_ call: MealCall) async throws(AnnalsError) -> Appended {
    switch store {
    case .first(let store): try await store.append(call.first, to: call.stream)
    case .second(let store): try await store.append(call.second, to: call.stream)
    }
  }
}
