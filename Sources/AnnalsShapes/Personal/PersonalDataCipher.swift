public import AnnalsCoding

/// Encrypts and decrypts the personal fields of events with a key for each subject.
///
/// The product `AnnalsKeys` has an implementation. A store receives it in ``StoreOptions/keys``.
public protocol PersonalDataCipher: Sendable {
  /// Encrypts a value with the newest key of `subject`, which is created if the subject has none.
  ///
  /// - Parameters:
  ///   - value: The encoded value of the field.
  ///   - subject: The id of the person as text.
  ///   - context: Bytes that name the type, the field and the subject; decryption needs the same.
  /// - Returns: The encrypted value; `nil` if the key of the subject was dropped.
  /// - Throws: ``AnnalsError`` with code `keyMissing` if the file of keys is missing or belongs to another
  ///   store, `damaged`, `readOnly` or `inputOutput`.
  func seal(
    _ value: [UInt8], of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue?

  /// Decrypts a value.
  ///
  /// - Throws: ``AnnalsError`` with code `keyMissing` if the file of keys is missing, belongs to another
  ///   store or lacks the key, `damaged` or `inputOutput`.
  func open(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> OpenedValue

  /// Returns whether the key of `subject` was dropped, so that ``seal(_:of:in:)`` encrypts nothing.
  ///
  /// - Throws: ``AnnalsError`` with code `keyMissing` if the file of keys belongs to another store,
  ///   `damaged` or `inputOutput`.
  func hasDropped(_ subject: String) throws(AnnalsError) -> Bool

  /// Encrypts a value with the newest key of `subject`, if it has an older one. A pass that renews keys calls
  /// this method.
  ///
  /// - Returns: The value under the newest key; `nil` if it has that key, or none that can be replaced: the
  ///   key of the subject was dropped, or the value was not made for this field.
  /// - Throws: As ``open(_:of:in:)``.
  func renew(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue?
}

/// An encrypted value of a personal field.
public struct SealedValue: Hashable, Sendable {
  /// The number of the key among those of its subject.
  public var key: UInt32
  /// The nonce, the encrypted bytes and the tag that authenticates them.
  public var box: [UInt8]

  /// Creates the value.
  public init(key: UInt32, box: [UInt8]) {
    self.key = key
    self.box = box
  }
}

/// The result of decrypting a value of a personal field.
public enum OpenedValue: Hashable, Sendable {
  /// The encoded value.
  case value([UInt8])
  /// The key of the subject was dropped.
  case forgotten
  /// The bytes are not what the key has encrypted for this type, field and subject.
  case forged
}
