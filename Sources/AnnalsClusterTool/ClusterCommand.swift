import Annals
import AnnalsCluster
import AnnalsCoding
import AnnalsCommand
import AnnalsLog
import AnnalsReplication
import Foundation

/// The command `annals-cluster`, which `annals cluster` runs.
enum ClusterCommand {
  private static let name = "annals-cluster"

  /// The output of a verb, and whether a check found something.
  struct Result {
    var output: String
    var isGood = true
  }

  /// Runs a command line and returns the exit status.
  static func run(_ words: [CommandWord]) async -> Int32 {
    do throws(AnnalsError) {
      if words.contains("--help") || words.contains("-h") || words.first == "help" {
        try write(help)
        return 0
      }
      let arguments: ClusterArguments
      do { arguments = try ClusterArguments(words) } catch {
        throw AnnalsError(error.code, "\(error.message); '\(name) --help' lists the verbs")
      }
      let result = try await result(of: arguments)
      try write(result.output)
      return result.isGood ? 0 : 1
    } catch {
      guard let report = FailureReport(error, command: name) else { return 0 }
      // If the failure cannot be reported, the exit status still shows it.
      try? FileHandle.standardError.write(contentsOf: words.contains("--json") ? report.json : report.text)
      return report.status
    }
  }

  /// Runs a verb.
  static func result(of arguments: ClusterArguments) async throws(AnnalsError) -> Result {
    switch arguments.verb {
    case "status": try await StatusVerb(arguments).run()
    case "join": try await join(arguments)
    case "leave": try leave(arguments)
    case "copies": try await CopiesVerb(arguments).run()
    default: try check(arguments)
    }
  }

  private static func join(_ arguments: ClusterArguments) async throws(AnnalsError) -> Result {
    guard let log = try arguments.log() else {
      throw ClusterArguments.wrong("--servers and --name are missing; '\(name) --help' shows them")
    }
    let shared = try log.connect(creates: false)
    let joined: Swift.Result<ClusterJoin.Report, AnnalsError>
    do throws(AnnalsError) {
      joined = .success(
        try await ClusterJoin.run(
          from: try arguments.operands[0].url(), to: try arguments.operands[1].url(), shared,
          within: try arguments.limit()))
    } catch {
      joined = .failure(error)
    }
    await shared.close()
    let report = try joined.get()
    if arguments.isJSON {
      var line = ReportLine()
      line.add("cluster", report.member.cluster)
      line.add("applied", report.member.applied)
      line.add("last", report.last)
      line.add("position", report.member.position)
      return Result(output: String(decoding: line.bytes, as: UTF8.self))
    }
    return Result(
      output: """
        joined: \(report.member.position) entries, applied up to message \(report.member.applied) of \
        \(report.last)
        open the store with the same log to apply the rest

        """)
  }

  private static func leave(_ arguments: ClusterArguments) throws(AnnalsError) -> Result {
    var options = StoreOptions()
    options.creation = .never
    let log = try EventLog(at: try arguments.operands[0].url(), options: options)
    let facts = try MemberFacts(of: log)
    try log.leaveCluster()
    if arguments.isJSON {
      var line = ReportLine()
      line.add("cluster", facts.cluster)
      line.add("applied", facts.applied)
      line.add("position", facts.position)
      return Result(output: String(decoding: line.bytes, as: UTF8.self))
    }
    return Result(
      output: """
        left: the store keeps its \(facts.position) entries and takes appends of this machine alone

        """)
  }

  private static func check(_ arguments: ClusterArguments) throws(AnnalsError) -> Result {
    var options = StoreOptions()
    options.access = .readOnly
    options.creation = .never
    let logs = try arguments.operands.map { (word) throws(AnnalsError) in
      try EventLog(at: try word.url(), options: options)
    }
    let facts = try logs.map { (log) throws(AnnalsError) in try MemberFacts(of: log) }
    let comparison = try StoreComparison(logs[0], logs[1])
    // Two machines with the same number of commits have the same hash, or one of them is wrong.
    let isHashEqual = facts[0].commits != facts[1].commits || facts[0].hash == facts[1].hash
    let isGood = comparison.difference == nil && isHashEqual
    if arguments.isJSON {
      var line = ReportLine()
      line.add("equal", comparison.equal)
      line.add("hash", comparison.hash)
      if let difference = comparison.difference { line.add("difference", difference) }
      line.add("commits", facts.map { "\($0.commits)" })
      line.add("hashes", facts.map(\.hash))
      line.add("agrees", isGood)
      return Result(output: String(decoding: line.bytes, as: UTF8.self), isGood: isGood)
    }
    var text = "\(comparison.equal) entries are equal, SHA-256 \(comparison.hash)\n"
    for (word, fact) in zip(arguments.operands, facts) {
      text += "\(word): \(fact.position) entries, \(fact.commits) commits, hash \(fact.hash)\n"
    }
    if let difference = comparison.difference {
      text += "the stores differ from position \(difference) on: one of them is wrong\n"
    } else if !isHashEqual {
      text += "the hashes of \(facts[0].commits) commits differ: one of the stores is wrong\n"
    }
    return Result(output: text, isGood: isGood)
  }

  private static func write(_ text: String) throws(AnnalsError) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      throw AnnalsError(.inputOutput, "writing the output failed: \(error)")
    }
  }

  private static let help = """
    usage: annals-cluster status [STORE] [--servers URL,URL,… --name NAME] [--json]
           annals-cluster join BACKUP STORE --servers URL,URL,… --name NAME [--json]
           annals-cluster leave STORE [--json]
           annals-cluster check STORE OTHER [--json]
           annals-cluster copies --servers URL,URL,… --name NAME [--json]

    Looks after the machines of a cluster: stores that share a log in NATS JetStream.

      status  shows how far the store is, and with servers: the log, the servers, what should be changed, and
              every machine that answers within a second
      join    copies a backup of another machine's store, after checking that the cluster's log continues it
      leave   makes the store one of its own, which takes appends of this machine alone; end its program first
      check   compares two stores of a cluster, entry by entry and by hash; one may be ahead of the other
      copies  compares what the servers have of the log, and names those that differ from most of them

      --servers      the addresses of the servers, such as nats://10.0.0.1:4222
      --name         the name of the log
      --credentials  a file with a user's token and key
      --ca, --cert, --key
                     files in PEM: authorities to trust, this program's certificate, and its key
      --within       the most seconds to wait for servers, 10 by default

    Exit status: 0 done; 1 stores or servers differ, or a machine has stopped; 64 wrong usage; 65 bad data;
    66 no such store or log; 73 cannot create; 74 input or output failed; 75 no server answers, or a program
    has the store, try again; 77 no permission.

    """
}
