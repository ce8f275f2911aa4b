/// What may be the name of a stream or of a record type: 1 to 500 bytes of UTF-8 without NUL.
package enum NameRule {
  /// The most bytes that a name may have; LMDB's keys end at 511.
  package static let maximum = 500

  /// Whether `name` is allowed.
  package static func allows(_ name: String) -> Bool {
    fault(of: name) == nil
  }

  /// What makes `name` unfit to be stored, in words; `nil` where it is fit.
  package static func fault(of name: String) -> String? {
    let bytes = name.utf8.span
    if bytes.isEmpty { return "it is empty" }
    if bytes.holdsZero { return "it holds NUL" }
    return bytes.count > maximum ? "it has \(bytes.count) bytes" : nil
  }

  /// Throws `.invalidName` unless `name` is allowed.
  ///
  /// - Parameter role: What the name is of, for the message: "stream" or "type".
  package static func check(_ name: String, role: String) throws(AnnalsError) {
    guard let fault = fault(of: name) else { return }
    throw AnnalsError(
      .invalidName,
      "a \(role) name has 1 to \(maximum) bytes of UTF-8 and no NUL, but \(fault); choose another name")
  }
}
