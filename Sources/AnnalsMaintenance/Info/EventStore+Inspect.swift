internal import AnnalsLog
public import AnnalsCoding
internal import AnnalsSchema
public import AnnalsStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventStore {
  /// Describes the store at `url`, without a plan and without changing anything.
  ///
  /// - Throws: As ``EventLog/inspect(_:)``.
  public static func inspect(_ url: URL) throws(AnnalsError) -> LogInfo {
    try EventLog.inspect(url)
  }
}
