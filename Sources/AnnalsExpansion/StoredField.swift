import SwiftParser
import SwiftSyntax

/// A stored property of a record or of a value.
struct StoredField {
  /// The property's name without backticks.
  let bare: String
  /// The property's name as it is written after a dot.
  let property: String
  /// The type as it is written.
  let type: TypeSyntax
  /// The value that the property has unless another is given.
  let initial: ExprSyntax?
  /// Whether the property is a `let`.
  let isConstant: Bool
  /// The name on disk.
  let name: DiskName
  /// The name on disk that the field had in the version before.
  let originalName: DiskName?
  /// Where the property is named.
  let place: TokenSyntax

  /// The property as a parameter of an initializer, with the default value that Swift's own initializer gives it.
  var parameter: String {
    let parameter = "\(place.written(for: .variableName)): \(type.trimmedDescription)"
    if let initial { return "\(parameter) = \(initial.trimmedDescription)" }
    return !isConstant && type.is(OptionalTypeSyntax.self) ? "\(parameter) = nil" : parameter
  }
}
