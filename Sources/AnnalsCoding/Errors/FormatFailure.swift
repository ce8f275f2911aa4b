/// Why bytes of the store could not be read as the layout they should have.
@usableFromInline package struct FormatFailure: Error, Equatable, Sendable {
  /// What is wrong.
  @usableFromInline package enum Reason: Equatable, Sendable {
    /// The bytes end before the layout does.
    case tooShort
    /// The stored checksum is not that of the bytes.
    case checksum
    /// A length or count reaches beyond the bytes.
    case length
    /// A variable-length number is longer than it must be, or over 64 bits.
    case varint
    /// Text is not UTF-8, or not allowed as a name.
    case text
    /// A field holds a value that its layout does not know.
    case value
    /// The text of a shape is none, or not the one of its fingerprint.
    case shape
    /// A link points at or before the log's start.
    case link
    /// The format byte or flag bits are of a later format.
    case laterFormat
    /// An extension or a feature must be known and is not.
    case unknownFeature
  }

  /// What is wrong.
  @usableFromInline package let reason: Reason
  /// Where, in bytes from the layout's start.
  @usableFromInline package let offset: Int

  @inlinable package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension FormatFailure: CustomStringConvertible {
  /// The failure in words.
  @inlinable package var description: String {
    let what =
      switch reason {
      case .tooShort: "the bytes end too early"
      case .checksum: "the checksum does not match"
      case .length: "a length reaches beyond the bytes"
      case .varint: "a number is not in its shortest form"
      case .text: "text is not valid"
      case .value: "a field has an unknown value"
      case .shape: "the text of a shape is not valid, or not the one of its fingerprint"
      case .link: "a link points outside the log"
      case .laterFormat: "the layout is of a later format"
      case .unknownFeature: "an extension is not known"
      }
    return "\(what) (offset \(offset))"
  }
}
