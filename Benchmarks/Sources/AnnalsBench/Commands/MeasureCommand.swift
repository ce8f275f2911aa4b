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

/// Measures scenarios. This is the default command.
struct MeasureCommand: Command {
  static let usage = """
    usage: annals-bench [options]          measure
           annals-bench chart FIGURES FILE   draw the rate of appends over the number of streams (SVG), from what --json wrote; or
                                             what growth measured over the number of entries
           annals-bench growth ENTRIES [--streams N] [--repeat N] [--json FILE] [--directory DIR]
                                             measure how long appends, reads, opens, verify and a pass take in one log of so many entries in so
                                             many streams (a tenth as many, 1,000,000 at most); the same file takes further sizes
           annals-bench history FILE [--processes N] [--seconds N] [--seed N] [--streams N] [--directory DIR]
                                             let processes (3) append to and read few streams (3) of one store for some seconds (10), kill
                                             some, and write what they did, one JSON object a line
           annals-bench judge FILE           decide whether a history is linearizable
           annals-bench typed [--rounds N] [--events N] [--only PREFIX]
                                             measure typed events: decoding, encoding, reading through a store and through stages; medians of N
                                             rounds (15) over N events (100,000), everything in turns within a round
      --list            name the scenarios and subjects, and measure nothing
      --only PREFIX     only scenarios whose name and parameters begin with PREFIX
      --subject NAME    only this subject
      --scale SCALE     modest (default; all scenarios in about two minutes) or full (the documented figures)
      --count N         how many events cancel, new-streams and verify-rate have, in place of what the scale says
      --repeat N        repetitions of each scenario, the subjects in turns (default 3)
      --json FILE       also write one JSON object a line
      --directory DIR   an existing directory where the stores are made, and removed afterwards (default: the system's directory for temporary files)
      --help            this text
    """

  private var isList = false
  private var isHelp = false
  private var prefix = ""
  private var subject: String?
  private var scale = Scale.modest
  private var count: Int?
  private var repetitions = 3
  private var json: String?
  private var directory: String?

  /// Reads the words after the command's name.
  init(_ words: some Sequence<String>) throws(WrongUsage) {
    var words = words.makeIterator()
    while let word = words.next() {
      func value() throws(WrongUsage) -> String {
        guard let value = words.next() else { throw WrongUsage(description: "\(word) needs a value") }
        return value
      }
      switch word {
      case "--list": isList = true
      case "--help": isHelp = true
      case "--only": prefix = try value()
      case "--subject":
        let name = try value()
        guard Roster.names.contains(name) else {
          throw WrongUsage(description: "there is no subject '\(name)'")
        }
        subject = name
      case "--scale":
        guard let scale = Scale(rawValue: try value()) else {
          throw WrongUsage(description: "--scale is modest or full")
        }
        self.scale = scale
      case "--count":
        guard let count = Int(try value()), (10...100_000_000).contains(count) else {
          throw WrongUsage(description: "--count is a number from 10 to 100,000,000")
        }
        self.count = count
      case "--repeat":
        guard let count = Int(try value()), (1...1000).contains(count) else {
          throw WrongUsage(description: "--repeat is a number from 1 to 1,000")
        }
        repetitions = count
      case "--json": json = try value()
      case "--directory": directory = try value()
      default: throw WrongUsage(description: "'\(word)' is not known")
      }
    }
  }

  /// The subjects that are asked for.
  private var subjects: [any Subject.Type] {
    Roster.subjects.filter { subject == nil || $0.name == subject }
  }

  /// The scenarios that are asked for; one whose whole title was given alone, though others begin with it.
  private var scenarios: [any Scenario] {
    let matching = Catalogue.scenarios(scale, count: count).filter { $0.title.utf8.starts(with: prefix.utf8) }
    let exact = matching.filter { $0.title.utf8.elementsEqual(prefix.utf8) }
    return exact.isEmpty ? matching : exact
  }

  func run() async throws {
    let scenarios = scenarios
    if isHelp {
      print(Self.usage)
    } else if isList {
      for scenario in scenarios { print(scenario.title) }
      print("subjects: \(Roster.names.joined(separator: " "))")
    } else if scenarios.isEmpty {
      throw WrongUsage(description: "no scenario begins with '\(prefix)'")
    } else {
      try await measure(scenarios)
    }
  }

  private func measure(_ scenarios: [any Scenario]) async throws {
    let parent = Workplace.parent(directory)
    var report = Report()
    print(conditions)
    print(Report.head)
    try await Workplace.lend(inside: parent) { shared in
      let stores = FilledStores(in: shared)
      for scenario in scenarios {
        let outcome = try await Workplace.lend(inside: parent) { directory in
          try await Run(
            scenario: scenario, subjects: subjects,
            program: subject == nil || subject == PythonPeer.name ? PythonPeer() : nil,
            repetitions: repetitions, directory: directory, stores: stores
          ).outcome()
        }
        print(report.rows(of: scenario, outcome))
        // A pipe or file would show nothing before the end of a long run.
        fflush(nil)
        if let json = json { try report.write(outcome.findings, to: URL(fileURLWithPath: json)) }
      }
    }
  }

  /// What the figures depend on besides the code.
  private var conditions: String {
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
      "\(cores) cores; \(library); \(sqlite); \(build); scale \(scale); --repeat \(repetitions)\n"
  }
}
