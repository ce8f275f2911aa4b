#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program that feeds changed payloads to decoders: `FaultTool fields [executions] [seed of the first
/// round]`.
package enum FieldFuzz {
  /// The number of executions that share a seed. A trap can be run again from the seed that was printed last.
  static let round = 250_000
  /// The number of bytes by which the process may grow. A payload has at most 4 KiB, and some thousand are
  /// kept.
  static let room = 96 << 20

  /// Runs what the arguments ask for. The status is 1 if there are findings.
  package static func main(_ words: some Sequence<String>) {
    do {
      let arguments = words.map { UInt64($0) }
      let executions = Int((arguments.first ?? 200_000) ?? 0)
      let seed = (arguments.dropFirst().first ?? 1) ?? 1
      exit(try run(executions, seed: seed) ? 0 : 1)
    } catch {
      print(error)
      exit(70)
    }
  }

  /// Runs rounds with `executions` in all, and prints the seed and the outcome of each.
  ///
  /// - Returns: Whether there were no findings.
  package static func run(
    _ executions: Int, seed: UInt64, decoders: [FieldDecoder] = FieldDecoder.all
  ) throws -> Bool {
    try limitMemory()
    var left = executions
    var seed = seed
    while left > 0 {
      print("seed \(seed)", terminator: "")
      fflush(nil)
      var fuzzing = try FieldFuzzRun(seed: seed, decoders: decoders)
      fuzzing.run(upTo: min(left, round))
      let reasons = fuzzing.refusals.map { "\($0.value) × \($0.key)" }.sorted().joined(separator: "; ")
      print(
        ": \(fuzzing.executions) executions, \(fuzzing.accepted) read, slowest \(fuzzing.slowest) s; \(reasons)"
      )
      for finding in fuzzing.findings { print("found: \(finding)") }
      guard fuzzing.findings.isEmpty else { return false }
      left -= fuzzing.executions
      seed += 1
    }
    return true
  }

  /// Lets the process grow by ``room`` and no further: an allocation beyond it ends the process.
  private static func limitMemory() throws {
    #if os(Linux)
      let statistics = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      guard let pages = statistics.split(separator: " ").first.flatMap({ Int($0) }) else { return }
      let bytes = rlim_t(pages * Int(getpagesize()) + room)
      var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
        throw Corpus.Unreadable(description: "the memory of the process cannot be limited: error \(errno)")
      }
    #endif
  }
}
