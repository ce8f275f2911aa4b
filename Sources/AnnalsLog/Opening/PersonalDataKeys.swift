public import AnnalsCoding
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The keys of a store's personal fields.
///
/// The product `AnnalsKeys` has the implementation that users need: `SubjectKeys`.
public protocol PersonalDataKeys: PersonalDataCipher {
  /// Takes the store that the keys are for. Called by each open of a plan with personal fields.
  ///
  /// - Parameters:
  ///   - url: The store's directory.
  ///   - log: The id of its log.
  ///   - hasPersonalData: Whether the log may have encrypted fields already.
  ///   - isReadOnly: Whether nothing may be created.
  /// - Throws: ``AnnalsError`` with code `keyMissing` if the log may have encrypted fields and the file of
  ///   keys is missing, or if the file is another log's. Also `wrongUse` if the keys are another store's.
  func attach(
    toStoreAt url: URL, log: UUID, hasPersonalData: Bool, isReadOnly: Bool
  ) throws(AnnalsError)

  /// Drops all keys of a subject, for good. On return no file has their bytes, and no process decrypts with
  /// them any more.
  ///
  /// Call ``EventStore/forget(_:by:because:)`` instead, which also clears views and other results of the
  /// values.
  ///
  /// - Parameter subject: The id of the person as text.
  /// - Throws: ``AnnalsError`` with code `keyMissing`, `readOnly`, `busy`, `damaged`, `diskFull` or
  ///   `inputOutput`. The call can be repeated.
  func drop(_ subject: String) throws(AnnalsError)
}
