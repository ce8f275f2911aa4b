import CBareLMDB

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
    var errors = StandardError()
    let arguments: Arguments
    do { arguments = try Arguments(CommandLine.arguments.dropFirst()) } catch {
      print("annals-bench: \(error)\n\(Arguments.usage)", to: &errors)
      exit(EX_USAGE)
    }
    if arguments.isHelp {
      print(Arguments.usage)
    } else if arguments.isList {
      for scenario in arguments.scenarios { print(scenario.title) }
      print("subjects: \(Roster.subjects.map { $0.name }.joined(separator: " "))")
    } else if arguments.scenarios.isEmpty {
      print("annals-bench: no scenario begins with '\(arguments.prefix)'", to: &errors)
      exit(EX_USAGE)
    } else {
      do { try await measure(arguments) } catch {
        print("annals-bench: \(error)", to: &errors)
        exit(EXIT_FAILURE)
      }
    }
  }

  private static func measure(_ arguments: Arguments) async throws {
    let parent =
      arguments.directory.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.temporaryDirectory
    var report = Report()
    print(conditions(arguments))
    print(Report.head)
    for scenario in arguments.scenarios {
      let findings = try await Workplace.lend(inside: parent) { directory in
        try await Run(
          scenario: scenario, subjects: arguments.subjects, repetitions: arguments.repetitions,
          directory: directory
        ).findings()
      }
      print(report.rows(of: scenario, findings))
      // A pipe or file would show nothing before the end of a long run.
      fflush(nil)
      if let json = arguments.json { try report.write(findings, to: URL(fileURLWithPath: json)) }
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
    return
      "\(cores) cores; \(library); \(build); scale \(arguments.scale); --repeat \(arguments.repetitions)\n"
  }
}
