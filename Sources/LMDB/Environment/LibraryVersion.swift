import CLMDB

/// The version of liblmdb with which the process runs.
public struct LibraryVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number before the first dot.
  public let major: Int32
  /// The number between the dots.
  public let minor: Int32
  /// The number after the last dot.
  public let patch: Int32

  /// The version in use, which may differ from the one compiled against.
  public static var current: LibraryVersion {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    _ = unsafe mdb_version(&major, &minor, &patch)
    return LibraryVersion(major: major, minor: minor, patch: patch)
  }

  /// Whether it reads files of data version 1 and does not destroy other processes' locks.
  ///
  /// 0.9.26 to 0.9.31 may destroy the shared mutex when an environment is closed (OpenLDAP ITS#10095).
  public var isSafe: Bool {
    major == 0 && minor == 9 && !(26...31).contains(patch)
  }

  /// The three numbers with dots.
  public var description: String { "\(major).\(minor).\(patch)" }

  /// Returns whether `left` is the older version.
  public static func < (left: LibraryVersion, right: LibraryVersion) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}
