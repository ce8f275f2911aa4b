extension Error {
  /// The type of the error, and its description if it defines one, as messages show an error of a rule.
  ///
  /// An error without its own description is named by its type alone, since it may have values of a payload.
  package var words: String {
    guard let description = (self as? any CustomStringConvertible)?.description else {
      return "\(type(of: self))"
    }
    let limit = 500
    return "\(type(of: self)): \(description.prefix(limit))\(description.count > limit ? "…" : "")"
  }
}

extension String {
  /// Returns a message that is stored, with the type of a rule's error in place of its description, which may
  /// have values of a payload.
  package func withholding(_ cause: any Error) -> String {
    replacing(cause.words, with: "\(type(of: cause))")
  }
}
