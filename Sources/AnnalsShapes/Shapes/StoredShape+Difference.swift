extension StoredShape {
  /// Returns the differences between two shapes of one record, as text.
  package static func difference(_ stored: StoredShape?, _ expected: StoredShape?) -> String {
    guard let stored, let expected else {
      return "found \(stored?.text ?? "no shape"), expected \(expected?.text ?? "no shape")"
    }
    let changes = ShapeComparison(from: stored.shape, to: expected.shape).changes.map(\.description)
    return "found \(stored.text), expected \(expected.text)"
      + (changes.isEmpty ? "" : " (\(changes.joined(separator: "; ")))")
  }
}
