public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The keys of a store's personal fields.
///
/// The product `AnnalsKeys` has an implementation: `SubjectKeys`.
public protocol PersonalDataKeys: PersonalDataCipher {
  /// Sets the store that the keys are for. Each open of a plan with personal fields calls this method.
  ///
  /// - Parameters:
  ///   - url: The store's directory.
  ///   - log: The id of its log.
  ///   - hasPersonalData: Whether the log may have encrypted fields already.
  ///   - isReadOnly: Whether nothing may be created.
  /// - Throws: ``AnnalsError`` with code `keyMissing` if the log may have encrypted fields and the file of
  ///   keys is missing, or if the file belongs to another log; `wrongUse` if the keys belong to another
  ///   store.
  func attach(
    toStoreAt url: URL, log: UUID, hasPersonalData: Bool, isReadOnly: Bool
  ) throws(AnnalsError)

  /// Drops all keys of a subject, for good. On return no file has their bytes, and no process can decrypt
  /// with them any more.
  ///
  /// Call ``EventStore/forget(_:by:because:)`` instead, which also clears views and other results of the
  /// values.
  ///
  /// - Parameters:
  ///   - subject: The id of the person as text.
  ///   - drop: What the log is to record. It is kept with the keys in the same step, until it is recorded.
  /// - Returns: Whether the subject had keys; `false` if they were dropped before, or never made.
  /// - Throws: ``AnnalsError`` with code `keyMissing`, `readOnly`, `busy`, `damaged`, `diskFull` or
  ///   `inputOutput`. The call can be repeated.
  @discardableResult
  func drop(_ subject: String, recording drop: KeyDrop) throws(AnnalsError) -> Bool

  /// Returns the removals that the log may not record yet, oldest first. A program that was killed has left
  /// them, or another program is still at work. The next open of the store records them.
  ///
  /// - Throws: ``AnnalsError`` with code `keyMissing`, `damaged` or `inputOutput`.
  func unrecordedDrops() throws(AnnalsError) -> [KeyDrop]

  /// Forgets removals that the log now records, and keeps the newest one as ``newestRecordedDrop()``.
  ///
  /// - Parameters:
  ///   - drops: The removals.
  ///   - newest: The last one, with the position and time of its record in the log.
  /// - Throws: ``AnnalsError`` with code `keyMissing`, `readOnly`, `busy`, `damaged`, `diskFull` or
  ///   `inputOutput`.
  func noteRecorded(_ drops: [KeyDrop], newest: KeyDrop) throws(AnnalsError)

  /// Returns the newest removal that a log records, with the position and time of its record; `nil` if there
  /// is none.
  ///
  /// A log that lacks the record is older than the keys, like a restored backup. Its inline projections,
  /// views and snapshots may therefore have values of forgotten people. The open of the store clears them.
  ///
  /// - Throws: ``AnnalsError`` with code `keyMissing`, `damaged` or `inputOutput`.
  func newestRecordedDrop() throws(AnnalsError) -> KeyDrop?
}
