internal import AnnalsCoding

/// The reason why a text is not the text of a shape, and the place.
package struct ShapeFailure: Error, Hashable, Sendable {
  /// The rule that was broken.
  package enum Reason: String, Sendable {
    case truncated = "the text ends inside a shape"
    case unexpected = "a character that cannot stand here"
    case name = "a name is wanted"
    case type = "no type has this name"
    case tooDeep = "types are nested more than 64 deep"
    case tooLarge = "the text is longer than 65,536 bytes"
    case tooMany = "the shape has more than 10,000 parts"
    case trailing = "something follows the shape"
    case notCanonical = "the shape is written in another way"
  }
  /// The rule that was broken.
  package let reason: Reason
  /// The offset in the text, in bytes counted from 0.
  package let offset: Int
}

extension ShapeFailure: CustomStringConvertible {
  /// The reason and the place.
  package var description: String { "\(reason.rawValue), at byte \(offset)" }
}
