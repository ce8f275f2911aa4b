/// The version of a NATS server, such as 2.10.27.
struct ServerVersion: Comparable, Sendable, CustomStringConvertible {
  let major: Int
  let minor: Int
  let patch: Int

  /// The oldest version that is recommended for data that matters.
  static let recommended = ServerVersion(major: 2, minor: 10, patch: 27)

  init(major: Int, minor: Int, patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads a version; `nil` unless it begins with three numbers.
  ///
  /// A suffix such as `-RC.1` is ignored.
  init?(_ text: String) {
    let core = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let numbers = core.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
      return nil
    }
    self.init(major: major, minor: minor, patch: patch)
  }

  var description: String { "\(major).\(minor).\(patch)" }

  static func < (one: ServerVersion, other: ServerVersion) -> Bool {
    (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
  }
}
