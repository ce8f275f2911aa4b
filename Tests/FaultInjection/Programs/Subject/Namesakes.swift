import Annals
import Foundation

/// Processes that have the same number, each in a PID namespace of its own.
enum Namesakes {
  private static let streams = 50

  /// Keeps a snapshot until the process is killed.
  ///
  /// - Parameter ready: The file that is created once the snapshot is open.
  static func hold(at url: URL, saying ready: String) throws {
    let log = try EventLog(at: url)
    try log.read { (snapshot) throws in
      _ = try snapshot.all().count
      try Data("\(ProcessInfo.processInfo.processIdentifier)".utf8).write(to: URL(fileURLWithPath: ready))
      while true { sleep(1) }
    }
  }

  /// Appends this many entries, each in a commit of its own.
  static func churn(at url: URL, commits: Int) async throws {
    var options = StoreOptions()
    options.durability = .relaxed
    let log = try EventLog(at: url, options: options)
    let entry = NewEntry(type: "T", version: nil, payload: try Payload(["number": .init(1)]))
    for commit in 0..<commits { try await log.append([entry], to: "s\(commit % streams)") }
  }
}
