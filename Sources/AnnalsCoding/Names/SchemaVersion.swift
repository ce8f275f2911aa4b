/// The semantic version of a whole schema.
///
/// Versions are ordered by major, then minor, then patch number. Each stage of a plan leads to a higher
/// version.
public struct SchemaVersion: Hashable, Comparable, Sendable {
  /// The first number; by convention it rises when a stage has rules.
  public let major: UInt32
  /// The second number; by convention it rises when a stage is lightweight.
  public let minor: UInt32
  /// The third number.
  public let patch: UInt32

  /// Creates the version with these three numbers.
  public init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Returns whether `left` is the older version.
  public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}

extension SchemaVersion: CustomStringConvertible {
  /// The version as `major.minor.patch`.
  public var description: String { "\(major).\(minor).\(patch)" }
}

extension SchemaVersion: LosslessStringConvertible {
  /// Creates a version from one to three whole numbers separated by dots; `nil` for any other text.
  ///
  /// Missing numbers are zero: `"1"` is 1.0.0.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var numbers: [UInt32] = []
    for part in parts {
      guard part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt32(String(decoding: part, as: UTF8.self))
      else { return nil }
      numbers.append(number)
    }
    numbers += Array(repeating: 0, count: 3 - numbers.count)
    self.init(numbers[0], numbers[1], numbers[2])
  }
}
