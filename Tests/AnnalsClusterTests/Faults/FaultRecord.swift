import Annals
import AnnalsTestSupport
import Foundation

@testable import AnnalsReplication
@testable import ClusterTool

/// The record of a run with faults, for others to judge.
///
/// The environment variable `ANNALS_CLUSTER_RECORDS` names a directory. Each run has one in it, named after
/// its seed, with the history and the stores' entries as JSON lines. A run with findings leaves the files of
/// servers and machines there, too; with the variable `ANNALS_CLUSTER_FILES`, every run does.
struct FaultRecord {
  /// The directory of this run; `nil` if nothing is to be kept.
  let directory: URL?
  /// Whether the files of a run without findings are kept.
  let keepsFiles = ProcessInfo.processInfo.environment["ANNALS_CLUSTER_FILES"] != nil

  init(seed: UInt64) throws {
    let parent = ProcessInfo.processInfo.environment["ANNALS_CLUSTER_RECORDS"]
    directory = parent.map { URL(filePath: $0).appendingPathComponent("seed-\(seed)") }
    guard let directory else { return }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Writes the history, and what each machine has in the end.
  func write(_ calls: [RecordedCall], _ machines: [RoomMachine]) throws {
    guard directory != nil else { return }
    try write(calls.map(\.line), "history.jsonl")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    for (index, machine) in machines.enumerated() {
      let lines = try machine.events().map { String(decoding: try encoder.encode($0), as: UTF8.self) }
      try write(lines, "machine-\(index).jsonl")
    }
  }

  private func write(_ lines: [String], _ name: String) throws {
    guard let directory else { return }
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: directory.appendingPathComponent(name))
  }

  /// Keeps the files of servers and machines, and for each machine which commits it has decided.
  func keep(_ field: FaultField, _ findings: [String]) throws {
    guard let directory else { return }
    try Data(findings.joined(separator: "\n").utf8)
      .write(to: directory.appendingPathComponent("findings.txt"))
    try FileManager.default.copyItem(
      at: field.servers.directory.url, to: directory.appendingPathComponent("servers"))
    for url in field.urls {
      try FileManager.default.copyItem(at: url, to: directory.appendingPathComponent(url.lastPathComponent))
      var options = StoreOptions()
      options.access = .readOnly
      var text = ""
      try EventLog(at: url, options: options).read { (snapshot) throws(AnnalsError) in
        if let state = try snapshot.reader.memberState() {
          text += "applied \(state.sequence) commits \(state.commits) hash \(state.chain)\n"
        }
        try snapshot.reader.eachCommit { commit in
          text += "\(commit.sequence) \(commit.id) \(commit.first) \(commit.count)\n"
        }
      }
      let name = url.deletingPathExtension().lastPathComponent + ".commits"
      try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }
  }
}
