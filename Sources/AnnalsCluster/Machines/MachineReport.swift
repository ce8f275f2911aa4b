internal import AnnalsCoding
internal import AnnalsReplication
internal import Foundation

/// What a machine says of itself when it is asked.
package struct MachineReport: Codable, Equatable, Sendable {
  /// The name of the machine.
  package var machine: String
  /// The number of the process that has the store.
  package var process: Int32
  /// The name of the store's directory.
  package var store: String
  /// The current version of the program's plan.
  package var version: String
  /// The sequence of the last message that is applied.
  package var applied: UInt64
  /// The sequence of the log's last message, as far as the machine knows.
  package var last: UInt64
  /// The position of the newest entry.
  package var position: UInt64
  /// The number of accepted commits.
  package var commits: UInt64
  /// Their running hash.
  package var hash: String
  /// What keeps the machine from continuing.
  package var problem: String?
  /// Whether it has stopped because of that.
  package var isStopped: Bool
  /// The schema version that its program must have for it to continue.
  package var needs: String?

  init(_ status: ClusterStatus, store: String, version: String) {
    machine = ProcessInfo.processInfo.hostName
    process = ProcessInfo.processInfo.processIdentifier
    self.store = store
    self.version = version
    applied = status.applied
    last = status.last
    position = status.position.rawValue
    commits = status.commits
    hash = status.hash
    problem = status.problem.map { "\($0)" }
    isStopped = status.isStopped
    needs = status.needs.map { "\($0)" }
  }

  /// The report as JSON.
  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // A report of texts and numbers can always be encoded.
    return (try? encoder.encode(self)).map { Array($0) } ?? []
  }

  /// Reads a report; `nil` for bytes that are none.
  init?(_ bytes: [UInt8]) {
    guard let report = try? JSONDecoder().decode(MachineReport.self, from: Data(bytes)) else { return nil }
    self = report
  }
}
