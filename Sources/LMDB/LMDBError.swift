internal import CLMDB

/// A return code of LMDB other than success.
public struct LMDBError: Error, Equatable, Sendable {
  /// LMDB's own number, or an `errno`.
  public let code: Int32

  /// The error with this number.
  public init(code: Int32) {
    self.code = code
  }
}
