internal import AnnalsCoding
internal import CSodium

/// A key of one subject: 32 random bytes for XChaCha20-Poly1305.
///
/// `unsafe`: libsodium takes pointers, which live for a call.
struct SubjectKey: Sendable {
  /// The number of bytes of a key.
  static let size = 32
  /// The number of bytes of a nonce, which is at the beginning of a box.
  static let nonceSize = 24
  /// The number of bytes of the tag, which is at the end of a box.
  static let tagSize = 16

  /// The bytes.
  let bytes: [UInt8]

  /// Creates the key with these bytes; `nil` unless there are exactly 32.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// Creates a random key.
  static func random() throws(AnnalsError) -> SubjectKey {
    SubjectKey(unchecked: try random(size))
  }

  private init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates a random number for a key, which is never 0.
  static func number() throws(AnnalsError) -> UInt32 {
    var number: UInt32 = 0
    while number == 0 { number = try random(4).reduce(0) { $0 << 8 | UInt32($1) } }
    return number
  }

  private static func random(_ count: Int) throws(AnnalsError) -> [UInt8] {
    try mustBeReady()
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe randombytes_buf(&bytes, count)
    return bytes
  }

  /// Throws if libsodium cannot be used; it is ready after the first call.
  private static func mustBeReady() throws(AnnalsError) {
    guard sodium_init() >= 0 else {
      throw AnnalsError(.inputOutput, "libsodium found no source of random bytes on this system")
    }
  }

  /// Encrypts `value` under a new nonce.
  ///
  /// - Parameter context: Bytes that are not in the box, and that decryption needs too.
  /// - Returns: The nonce, the encrypted bytes and the tag.
  func seal(_ value: [UInt8], in context: [UInt8]) throws(AnnalsError) -> [UInt8] {
    let nonce = try Self.random(Self.nonceSize)
    var box = [UInt8](repeating: 0, count: value.count + Self.tagSize)
    // It fails only for values of more than 256 GiB.
    let result = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
      &box, nil, value, UInt64(value.count), context, UInt64(context.count), nil, nonce, bytes)
    guard result == 0 else { throw AnnalsError(.tooLarge, "libsodium cannot encrypt a value of this size") }
    return nonce + box
  }

  /// Decrypts a box; `nil` unless it was made with this key and `context`.
  func open(_ box: [UInt8], in context: [UInt8]) throws(AnnalsError) -> [UInt8]? {
    try Self.mustBeReady()
    guard box.count >= Self.nonceSize + Self.tagSize else { return nil }
    let nonce = Array(box.prefix(Self.nonceSize))
    let sealed = Array(box.dropFirst(Self.nonceSize))
    var value = [UInt8](repeating: 0, count: sealed.count - Self.tagSize)
    let result = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
      &value, nil, nil, sealed, UInt64(sealed.count), context, UInt64(context.count), nonce, bytes)
    return result == 0 ? value : nil
  }
}
