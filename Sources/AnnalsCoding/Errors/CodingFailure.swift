/// The reason why bytes could not be decoded or a value could not be encoded, and the place.
///
/// It never has a decoded or encoded value, only keys and the names of types.
public struct CodingFailure: Error, Hashable, Sendable {
  /// The rule that was broken.
  public let reason: Reason
  /// The offset of the failure: counted from 0 in the input, or the number of bytes written before it.
  public let offset: Int
  /// The path of keys and indexes to the place, outermost first; empty if it is unknown.
  public let path: [String]
  /// The expected input, as text; `nil` if the reason is sufficient.
  public let detail: String?

  /// Creates a failure of kind `reason` at byte `offset`.
  public init(_ reason: Reason, at offset: Int, path: [String] = [], detail: String? = nil) {
    self.reason = reason
    self.offset = offset
    self.path = path
    self.detail = detail
  }

  /// Returns the same failure as seen from `offset` bytes further out and under `path`.
  package func moved(by offset: Int = 0, under path: [String]) -> CodingFailure {
    CodingFailure(reason, at: self.offset + offset, path: path + self.path, detail: detail)
  }
}

extension CodingFailure {
  /// The rule that was broken. New reasons may be added; compare with the constants.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String {
      case truncated = "the bytes end inside an item"
      case trailingBytes = "bytes follow the item"
      case malformed = "not well-formed"
      case wrongType = "the item is of another type"
      case outOfRange = "the number does not fit the type"
      case invalidText = "the text is not valid UTF-8"
      case tooDeep = "items are nested too deep (by name more than 132 levels, else more than 64)"
      case notCanonical = "the item is not in its one deterministic form"
      case unsortedKeys = "the keys are not in order"
      case duplicateKey = "a key or element stands twice"
      case unsupported = "an item that a payload may not hold"
      case missingKey = "a key is missing"
      case refused = "the type refused the value"
    }
    private let base: Base

    private init(_ base: Base) {
      self.base = base
    }

    /// The rule as text.
    public var description: String { base.rawValue }

    /// The bytes end inside an item, or a length exceeds the remaining bytes.
    public static let truncated = Reason(.truncated)
    /// Bytes follow the one item.
    public static let trailingBytes = Reason(.trailingBytes)
    /// The bytes are not a well-formed item.
    public static let malformed = Reason(.malformed)
    /// The item does not have the expected type.
    public static let wrongType = Reason(.wrongType)
    /// The expected type cannot represent the number exactly.
    public static let outOfRange = Reason(.outOfRange)
    /// A text is not valid UTF-8.
    public static let invalidText = Reason(.invalidText)
    /// Arrays, maps and tags are nested more than ``CBOR/depthLimit`` deep, or 64 for what types write.
    public static let tooDeep = Reason(.tooDeep)
    /// The item is not in the deterministic form of RFC 8949, section 4.2.1.
    public static let notCanonical = Reason(.notCanonical)
    /// The keys of a map are not sorted by their encoded bytes.
    public static let unsortedKeys = Reason(.unsortedKeys)
    /// A key of a map, or an element of a set, is a duplicate.
    public static let duplicateKey = Reason(.duplicateKey)
    /// A tag, `undefined`, another simple value, or a key that is not text.
    public static let unsupported = Reason(.unsupported)
    /// A key that the type needs is missing.
    public static let missingKey = Reason(.missingKey)
    /// The type's own code refused its input.
    public static let refused = Reason(.refused)
  }
}

extension CodingFailure: CustomStringConvertible {
  /// The reason, the place and the path.
  public var description: String {
    var text = "\(reason), at byte \(offset)"
    if !path.isEmpty {
      // Keys may come from hostile input, and a message must stay short.
      text += ", in \(path.map { $0.utf8.count > 64 ? "\($0.prefix(64))…" : $0 }.joined(separator: "."))"
    }
    if let detail {
      text += " (\(detail))"
    }
    return text
  }
}
