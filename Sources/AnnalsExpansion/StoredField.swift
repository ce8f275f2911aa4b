import SwiftParser
import SwiftSyntax

/// A stored property of a record or of a value.
struct StoredField {
  /// The property's name without backticks.
  let bare: String
  /// The property's name as written after a dot.
  let property: String
  /// The type as written.
  let type: TypeSyntax
  /// The property's default value.
  let initial: ExprSyntax?
  /// Whether the property is a `let`.
  let isConstant: Bool
  /// The name on disk.
  let name: DiskName
  /// The name on disk that the field had in the previous version.
  let originalName: DiskName?
  /// The name of the tag that the field's value gives its event; `nil` if it is no tag.
  var tag: DiskName?
  /// The use of the field as personal data; `nil` if it is none.
  var personal: PersonalMark?
  /// The token with the name of the property.
  let place: TokenSyntax

  /// Whether the type is written as an optional.
  var isOptional: Bool {
    type.is(OptionalTypeSyntax.self) || type.trimmedDescription.hasPrefix("Optional<")
  }

  /// The property as a parameter of an initializer, with the default value of Swift's own initializer.
  var parameter: String {
    let parameter = "\(place.written(for: .variableName)): \(type.trimmedDescription)"
    if let initial { return "\(parameter) = \(initial.trimmedDescription)" }
    return !isConstant && type.is(OptionalTypeSyntax.self) ? "\(parameter) = nil" : parameter
  }
}
