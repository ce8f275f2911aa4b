import Annals
import AnnalsCluster
import AnnalsCoding
import AnnalsLog
import Foundation

/// The words of a command line, parsed into a verb, operands and options.
struct ClusterArguments {
  /// The options that say where the cluster's log is; each has a value.
  private static let connection = [
    "--servers", "--name", "--credentials", "--ca", "--cert", "--key", "--within",
  ]
  /// The operands of each verb with how many of them are needed, and whether it connects to servers.
  private static let verbs: [String: (operands: [String], needed: Int, connects: Bool)] = [
    "status": (["STORE"], 0, true), "join": (["BACKUP", "STORE"], 2, true), "leave": (["STORE"], 1, false),
    "check": (["STORE", "OTHER"], 2, false), "copies": ([], 0, true),
  ]

  let verb: String
  let operands: [CommandWord]
  private var options: [String: CommandWord] = [:]

  /// Parses `words`.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse`.
  init(_ words: [CommandWord]) throws(AnnalsError) {
    guard let word = words.first else { throw Self.wrong("a verb is missing") }
    guard let verb = word.text, let grammar = Self.verbs[verb] else {
      throw Self.wrong("unknown verb '\(word)'")
    }
    self.verb = verb
    var operands: [CommandWord] = []
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      guard word.bytes.first == UInt8(ascii: "-"), word.bytes.count > 1 else {
        operands.append(word)
        continue
      }
      let parts = word.bytes.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { CommandWord(Array($0)) }
      let name = parts[0].description
      let hasValue = grammar.connects && Self.connection.contains(name)
      guard hasValue || name == "--json" else { throw Self.wrong("unknown option '\(name)'") }
      guard options[name] == nil else { throw Self.wrong("\(name) is there twice") }
      guard hasValue else {
        guard parts.count == 1 else { throw Self.wrong("\(name) takes no value") }
        options[name] = CommandWord("")
        continue
      }
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.bytes.isEmpty else {
        throw Self.wrong("\(name) needs a value")
      }
      options[name] = value
    }
    guard operands.count >= grammar.needed else {
      throw Self.wrong("\(grammar.operands[operands.count]) is missing")
    }
    guard operands.count <= grammar.operands.count else {
      throw Self.wrong("unexpected '\(operands[grammar.operands.count])'")
    }
    self.operands = operands
    guard (options["--servers"] == nil) == (options["--name"] == nil) else {
      throw Self.wrong("--servers and --name belong together")
    }
    _ = try limit()
  }

  /// Whether the result is JSON.
  var isJSON: Bool { options["--json"] != nil }

  /// The cluster's log; `nil` if no servers are named.
  func log() throws(AnnalsError) -> ClusterLog? {
    guard let servers = options["--servers"], let name = options["--name"] else { return nil }
    var tls: ClusterTLS?
    if options["--ca"] != nil || options["--cert"] != nil || options["--key"] != nil {
      tls = ClusterTLS(authorities: try url("--ca"), certificate: try url("--cert"), key: try url("--key"))
    }
    return .jetStream(
      servers: servers.description.split(separator: ",").map(String.init), name: name.description,
      credentials: try url("--credentials"), tls: tls)
  }

  /// The longest time to wait for servers.
  func limit() throws(AnnalsError) -> Duration {
    guard let word = options["--within"] else { return .seconds(10) }
    guard let seconds = Int(word.description), (1...3_600).contains(seconds) else {
      throw Self.wrong("--within needs a number of seconds from 1 to 3600, not '\(word)'")
    }
    return .seconds(seconds)
  }

  private func url(_ option: String) throws(AnnalsError) -> URL? {
    guard let word = options[option] else { return nil }
    return try word.url()
  }

  static func wrong(_ message: String) -> AnnalsError { AnnalsError(.wrongUse, message) }
}
