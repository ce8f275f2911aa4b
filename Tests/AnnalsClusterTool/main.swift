import Annals
import AnnalsCluster
import Foundation
import Synchronization

// usage: ClusterTool STORE SERVERS NAME WRITERS MARK
// Opens the store as a member of the cluster, lets writers make random calls until there is input, and writes
// each call as a line.

/// Whether the writers should end.
final class Ending: Sendable {
  private let isOver = Mutex(false)
  var value: Bool { isOver.withLock { $0 } }
  func end() { isOver.withLock { $0 = true } }
}

/// Opens the store, as soon as the servers answer and no earlier program has it.
func open(_ words: [String]) async throws -> ClusterStore<RoomsPlan> {
  var options = StoreOptions()
  options.durability = .relaxed
  // A call is repeated after any number of calls of others.
  options.idempotency = .always
  while true {
    do throws(AnnalsError) {
      return try await ClusterStore(
        at: URL(filePath: words[1]), plan: RoomsPlan.self,
        log: .jetStream(servers: words[2].split(separator: ",").map(String.init), name: words[3]),
        options: options, inline: [RoomBookings.self], warn: { _ in })
    } catch {
      guard [.unavailable, .busy].contains(error.code) else { throw error }
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}

let words = CommandLine.arguments
guard words.count == 6, let writers = Int(words[4]), let mark = Int(words[5]) else { exit(64) }
let ending = Ending()
let reading = Thread {
  // Any input ends it: other programs of the test may have the other end of the pipe, so that it stays open.
  _ = try? FileHandle.standardInput.read(upToCount: 1)
  ending.end()
}
reading.start()
do {
  let cluster = try await open(words)
  let store = try cluster.store
  try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<writers {
      group.addTask {
        var writer = RoomWriter(store, mark: mark + number * 1_000_000, rooms: 2_000)
        while !ending.value {
          let call = try await writer.step()
          // One write for a line, so that lines of writers do not mix.
          try FileHandle.standardOutput.write(contentsOf: Data((call.line + "\n").utf8))
        }
      }
    }
    try await group.waitForAll()
  }
  cluster.leave()
  exit(0)
} catch {
  try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
  exit(1)
}
