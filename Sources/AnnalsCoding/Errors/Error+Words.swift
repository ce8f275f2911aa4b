extension Error {
  /// The type of the error and its description, if it has one of its own: how messages name an error of a rule.
  ///
  /// An error that does not describe itself is named by its type alone, since it may hold values of a payload.
  package var words: String {
    guard let description = (self as? any CustomStringConvertible)?.description else {
      return "\(type(of: self))"
    }
    let limit = 500
    return "\(type(of: self)): \(description.prefix(limit))\(description.count > limit ? "…" : "")"
  }
}
