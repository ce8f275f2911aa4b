import Annals
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program that the fault tests act on.
package enum Subject {
  /// The number of seconds after which a run counts as hanging.
  private static let patience: UInt32 = 120

  /// Runs the verb after the first word of `arguments`.
  ///
  /// The verbs are:
  /// - `work DIRECTORY JOURNAL SEED FIRST COUNT TASKS RELAXED PASSES VIEWS TAGGED LIVES`
  /// - `attempt DIRECTORY JOURNAL`
  /// - `settle DIRECTORY JOURNAL MILLISECONDS CROWDED`
  /// - `settle-tags DIRECTORY JOURNAL`
  /// - `hold DIRECTORY READY`
  /// - `churn DIRECTORY COMMITS`
  /// - `examine SEED CALLS BOOT TAGGED`
  /// - `examine-views SEED CALLS RELAXED`
  /// - `examine-lives SEED CALLS LIVES`
  ///
  /// - Returns: The exit status: 0, 1 if something failed that must not, 64 for other arguments.
  package static func run(_ arguments: [String]) async -> Int32 {
    let numbers = arguments.map { Int($0) ?? 0 }
    do {
      switch (arguments.dropFirst().first, arguments.count) {
      case ("work", 13):
        alarm(patience)
        let calls = numbers[5]..<numbers[5] + max(0, numbers[6])
        let workload = Workload(
          seed: UInt64(numbers[4]), calls: calls, tasks: numbers[7],
          durability: numbers[8] == 1 ? .relaxed : .full, passes: Passes(rawValue: numbers[9]) ?? .none,
          views: Views(rawValue: numbers[10]) ?? .none, isTagged: numbers[11] == 1,
          lives: Lives(rawValue: numbers[12]) ?? .none)
        try await workload.run(at: store(in: arguments[2]), noting: CallJournal(path: arguments[3]))
      case ("attempt", 4):
        alarm(patience)
        try await Attempt.run(at: store(in: arguments[2]), noting: CallJournal(path: arguments[3]))
      case ("settle", 6):
        alarm(patience)
        try await Settling.run(
          at: store(in: arguments[2]), reading: UInt32(clamping: numbers[4]), isCrowded: numbers[5] == 1,
          noting: CallJournal(path: arguments[3]))
      case ("settle-tags", 4):
        alarm(patience)
        try await Settling.tag(at: store(in: arguments[2]), noting: CallJournal(path: arguments[3]))
      case ("hold", 4):
        alarm(patience)
        try Namesakes.hold(at: store(in: arguments[2]), saying: arguments[3])
      case ("churn", 4):
        alarm(patience)
        try await Namesakes.churn(at: store(in: arguments[2]), commits: numbers[3])
      case ("examine", 6):
        await Examiner.run(
          try Examination(
            seed: UInt64(numbers[2]), calls: numbers[3],
            resumption: Examination.Resumption(rawValue: numbers[4]) ?? .none, isTagged: numbers[5] == 1))
      case ("examine-views", 5):
        await Examiner.run(
          try ViewExamination(
            seed: UInt64(numbers[2]), calls: numbers[3], durability: numbers[4] == 1 ? .relaxed : .full))
      case ("examine-lives", 5) where Lives(rawValue: numbers[4]) == .forgetting:
        #if canImport(AnnalsKeys)
          await Examiner.run(KeyExamination(seed: UInt64(numbers[2])))
        #else
          return 64
        #endif
      case ("examine-lives", 5):
        await Examiner.run(
          LifeExamination(
            Lives(rawValue: numbers[4]) ?? .none, seed: UInt64(numbers[2]), calls: numbers[3]))
      default:
        return 64
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return 1
    }
  }

  private static func store(in directory: String) -> URL {
    URL(fileURLWithPath: directory).appendingPathComponent(Examination.name)
  }
}
