import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// Closing a store while another process keeps its locks.
@Suite struct ClosingTests {
  /// A process that has a lock file's lock until it is ended.
  private final class Holder {
    private let process = Process()

    init(_ file: URL) throws {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec 9<\"$0\"; flock -x 9; exec sleep 300", file.path]
      try process.run()
      let lock = try FileLock(
        file.lastPathComponent, in: Directory.open(path: file.deletingLastPathComponent().path))
      while true {
        guard let hold = try lock.tryLock(.exclusive) else { return }
        _ = consume hold
        usleep(2_000)
      }
    }

    var isRunning: Bool { process.isRunning }

    func end() {
      process.terminate()
      process.waitUntilExit()
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: [["open.lock"], ["write.lock"], ["open.lock", "queue.lock"]])
  func `a store closes although another process keeps its locks`(names: [String]) async throws {
    let place = try TemporaryStore()
    var options = StoreOptions.merging(every: 1_000)
    options.lockTimeout = .milliseconds(300)
    var log: EventLog? = try place.open(options)
    for number in 0..<5 { try await log?.append([try .placed(number)], to: "a") }
    let holders = try names.map { try Holder(place.url.appendingPathComponent($0)) }
    // Without a bound this would wait as long as the other process lives.
    log = nil
    let areRunning = holders.allSatisfy { $0.isRunning }
    #expect(areRunning)
    holders.forEach { $0.end() }
    let again = try place.open()
    try await again.append([try .placed(5)], to: "a")
    #expect(try EventLog.verify(place.url).entries == 6)
  }
}
