import Annals

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

/// Compacts the log again and again, and removes what it replaced, until it is killed.
enum TagCompactor {
  static func run(_ url: URL, count: Int) async throws {
    let log = try EventLog(at: url, options: StoreOptions(creation: .never))
    FaultProgram.ready()
    for _ in 0..<count {
      if !FaultProgram.hasParent { return }
      if let refusal = await refusal(of: log, url), refusal.code != .busy { throw refusal }
      usleep(20_000)
    }
  }

  /// Runs one pass.
  ///
  /// - Returns: The error that ended it: `busy` while another process still reads the generation before.
  private static func refusal(of log: EventLog, _ url: URL) async -> AnnalsError? {
    do throws(AnnalsError) {
      _ = try await log.compact(options()).report()
      _ = try EventLog.discardPrevious(url)
      return nil
    } catch {
      return error
    }
  }

  private static func options() -> MigrationOptions {
    var options = MigrationOptions()
    options.batch = 50
    options.durableBatch = 50
    return options
  }
}
