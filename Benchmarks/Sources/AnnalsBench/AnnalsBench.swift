import CBareLMDB

#if HAS_SQLITE
  import CSQLite
#endif

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

/// Measures Annals beside its peers.
@main
enum AnnalsBench {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    if words.first == KilledFilling.command, let filling = KilledFilling(words.dropFirst()) {
      await finish { try await filling.run() }
    } else {
      await measure(words)
    }
  }

  /// Runs a command; what it throws is its last word.
  private static func finish(_ command: sending () async throws -> Void) async {
    do { try await command() } catch {
      complain("\(error)")
      exit(EXIT_FAILURE)
    }
  }

  private static func complain(_ text: String) {
    var errors = StandardError()
    print("annals-bench: \(text)", to: &errors)
  }

  private static func measure(_ words: some Sequence<String>) async {
    let arguments: Arguments
    do { arguments = try Arguments(words) } catch {
      complain("\(error)\n\(Arguments.usage)")
      exit(EX_USAGE)
    }
    if arguments.isHelp {
      print(Arguments.usage)
    } else if arguments.isList {
      for scenario in arguments.scenarios { print(scenario.title) }
      print("subjects: \(Roster.subjects.map { $0.name }.joined(separator: " "))")
    } else if arguments.scenarios.isEmpty {
      complain("no scenario begins with '\(arguments.prefix)'")
      exit(EX_USAGE)
    } else {
      await finish { try await measure(arguments) }
    }
  }

  private static func measure(_ arguments: Arguments) async throws {
    let parent =
      arguments.directory.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.temporaryDirectory
    var report = Report()
    print(conditions(arguments))
    print(Report.head)
    try await Workplace.lend(inside: parent) { shared in
      let stores = FilledStores(in: shared)
      for scenario in arguments.scenarios {
        let outcome = try await Workplace.lend(inside: parent) { directory in
          try await Run(
            scenario: scenario, subjects: arguments.subjects, repetitions: arguments.repetitions,
            directory: directory, stores: stores
          ).outcome()
        }
        print(report.rows(of: scenario, outcome))
        // A pipe or file would show nothing before the end of a long run.
        fflush(nil)
        if let json = arguments.json { try report.write(outcome.findings, to: URL(fileURLWithPath: json)) }
      }
    }
  }

  /// What the figures depend on besides the code.
  private static func conditions(_ arguments: Arguments) -> String {
    #if DEBUG
      let build = "debug build: these figures mean nothing"
    #else
      let build = "release build"
    #endif
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let library = unsafe String(cString: mdb_version(nil, nil, nil))
    #if HAS_SQLITE
      let sqlite = unsafe "SQLite \(String(cString: sqlite3_libversion()))"
    #else
      let sqlite = "no SQLite here"
    #endif
    return
      "\(cores) cores; \(library); \(sqlite); \(build); scale \(arguments.scale); --repeat \(arguments.repetitions)\n"
  }
}
