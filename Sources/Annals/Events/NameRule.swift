/// What may be the name of a stream or of a record type: 1 to 500 bytes of UTF-8 without NUL.
enum NameRule {
  /// The most bytes that a name may have; LMDB's keys end at 511.
  static let maximum = 500

  /// Whether `name` is allowed.
  static func allows(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...maximum).contains(bytes.count) && !bytes.contains(0)
  }

  /// Throws `.invalidName` unless `name` is allowed.
  ///
  /// - Parameter role: What the name is of, for the message: "stream" or "type".
  static func check(_ name: String, role: String) throws(AnnalsError) {
    if allows(name) { return }
    let found =
      name.utf8.isEmpty
      ? "it is empty"
      : name.utf8.contains(0) ? "it holds NUL" : "it has \(name.utf8.count) bytes"
    throw AnnalsError(
      .invalidName,
      "a \(role) name has 1 to \(maximum) bytes of UTF-8 and no NUL, but \(found); choose another name")
  }
}
