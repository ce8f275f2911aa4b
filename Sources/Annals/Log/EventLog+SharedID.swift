internal import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// The id that rules make of `salt` by ``Origin/sharedID(_:)``, for events that are appended beside those that rules made.
  ///
  /// - Parameter salt: What tells apart the ids of one log; any text.
  /// - Complexity: One hash of about 30 bytes and the salt.
  public func sharedID(_ salt: String) -> UUID {
    Origin(
      position: 0, stream: "log", revision: 0, timestamp: Timestamp(microseconds: 0), id: nil, metadata: [:],
      log: core.log
    ).sharedID(salt)
  }
}
