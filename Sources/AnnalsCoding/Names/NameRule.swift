/// The rule for the name of a stream or of a record type: 1 to 500 bytes of UTF-8 without NUL.
package enum NameRule {
  /// The most bytes of a name; LMDB's keys end at 511.
  package static let maximum = 500

  /// Returns whether `name` is allowed.
  package static func allows(_ name: String) -> Bool {
    fault(of: name) == nil
  }

  /// Returns the reason why `name` cannot be stored, as text; `nil` if it can be.
  package static func fault(of name: String) -> String? {
    let bytes = name.utf8.span
    if bytes.isEmpty { return "it is empty" }
    if bytes.holdsZero { return "it holds NUL" }
    return bytes.count > maximum ? "it has \(bytes.count) bytes" : nil
  }

  /// Throws `.invalidName` unless `name` is allowed.
  ///
  /// - Parameter role: The kind of name, for the message: "stream" or "type".
  package static func check(_ name: String, role: String) throws(AnnalsError) {
    guard let fault = fault(of: name) else { return }
    throw AnnalsError(
      .invalidName,
      "a \(role) name has 1 to \(maximum) bytes of UTF-8 and no NUL, but \(fault); choose another name")
  }
}
