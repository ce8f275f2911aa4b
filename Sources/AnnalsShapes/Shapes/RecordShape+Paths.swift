internal import AnnalsCoding

extension RecordShape {
  /// Returns the number of the field of `property`, a property of the record itself; `nil` if it is no stored
  /// field.
  package func number(of property: AnyKeyPath) -> Int? {
    fields.firstIndex { $0.path as AnyKeyPath? == property }
  }

  /// Returns the names on disk, joined by dots, on the way to `property`, a property of the record or of a
  /// struct inside it; `nil` if it is no stored field.
  package func path(of property: AnyKeyPath) -> String? {
    Self.path(of: property, in: fields, reachedBy: nil)
  }

  /// Finds the path among `fields` of a struct that the record has at the key path `place`.
  private static func path(
    of property: AnyKeyPath, in fields: [FieldShape], reachedBy place: AnyKeyPath?
  ) -> String? {
    for field in fields {
      guard let own = field.path as AnyKeyPath?,
        let whole = place.map({ $0.appending(path: own) }) ?? own
      else { continue }
      if whole == property { return field.name }
      // Key paths can only go through structs; a struct cannot contain itself without a step between.
      guard case .record(let parts) = field.shape,
        let inner = path(of: property, in: parts, reachedBy: whole)
      else { continue }
      return field.name.appending(inner)
    }
    return nil
  }

  /// Returns whether a key path of Swift reaches the field at `path`: all on the way to it are structs.
  package func isReachable(_ path: String) -> Bool {
    var fields = fields
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { ExactText(String($0)) }
    for name in names.dropLast() {
      guard let field = fields.first(where: { ExactText($0.name) == name }),
        case .record(let parts) = field.shape
      else { return false }
      fields = parts
    }
    return fields.contains { ExactText($0.name) == names.last }
  }
}
