/// The reason why bytes of the store do not have the expected layout.
@usableFromInline package struct FormatFailure: Error, Equatable, Sendable {
  /// The kind of the failure.
  @usableFromInline package enum Reason: Equatable, Sendable {
    /// The bytes end before the layout does.
    case tooShort
    /// The stored checksum does not match the bytes.
    case checksum
    /// A length or count exceeds the bytes.
    case length
    /// A variable-length number is longer than necessary, or over 64 bits.
    case varint
    /// Text is not UTF-8, or not allowed as a name.
    case text
    /// A field has a value that its layout does not define.
    case value
    /// The text of a shape is invalid, or does not match its fingerprint.
    case shape
    /// A link refers to the log's start or before it.
    case link
    /// The format byte or flag bits belong to a later format.
    case laterFormat
    /// A required extension or feature is unknown.
    case unknownFeature
  }

  /// The kind of the failure.
  @usableFromInline package let reason: Reason
  /// The place, in bytes from the layout's start.
  @usableFromInline package let offset: Int

  @inlinable package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension FormatFailure: CustomStringConvertible {
  /// The failure as text.
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
