internal import AnnalsCoding
public import AnnalsLog
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Returns the id that rules derive from `salt` with ``Origin/sharedID(_:)``, for appending events
  /// alongside those that rules made.
  ///
  /// - Parameter salt: Any text that distinguishes the ids of one log.
  /// - Complexity: One hash of about 30 bytes and the salt.
  public func sharedID(_ salt: String) -> UUID {
    Origin(
      position: 0, stream: "log", revision: 0, timestamp: Timestamp(microseconds: 0), id: nil, metadata: [:],
      log: core.log
    ).sharedID(salt)
  }
}
