public import AnnalsCoding
public import AnnalsShapes

/// A type whose values are stored as events: a record of a schema.
///
/// `@Record` on a struct directly inside the braces of a schema writes the conformance, through
/// ``ShapedRecord``. A struct declared `: Record, Codable` is also a record. It is stored by the names of its
/// coding keys, without a shape, which is slower, and converting it to another type needs a rule.
public protocol Record: Sendable {
  /// The name of the type on disk, without module or schema; by default the unqualified name of the Swift
  /// type.
  ///
  /// A name has 1 to 500 bytes of UTF-8 without NUL, and names are equal if their bytes are equal. To keep
  /// the name on disk of a type renamed in Swift, return its original name here.
  static var recordName: String { get }

  /// The names on disk that the record had in the previous version; none by default.
  ///
  /// A stage converts a record with one of these names to this type, as if the name had not changed.
  static var formerNames: [String] { get }

  /// Names of former fields of the record that may not be used again; none by default.
  static var reservedNames: [String] { get }

  /// The shape of the payloads; `nil` for a record that is stored by name.
  static var recordShape: RecordShape? { get }

  /// Whether any value of the record has tags; `false` by default.
  ///
  /// A record that implements ``tags(_:)`` without `@Record` also returns `true` here, because appends ask
  /// only such records for tags.
  static var hasTags: Bool { get }

  /// The names of the tags that fields of the record declare; none by default.
  ///
  /// `@Record` writes it from the fields with `@Field(tag:)`. A record that implements ``tags(_:)`` itself
  /// may list its names here, for ``Retag(_:_:)``.
  static var tagNames: [String] { get }

  /// Returns the tags of the event `value`, by which queries find it; none by default.
  ///
  /// `@Record` writes it from the fields with `@Field(tag:)`.
  static func tags(_ value: Self) -> [EventTag]

  /// Values of the record for tests of rules and for recorded fixtures; none by default.
  static var samples: [Self] { get }

  /// Decodes the record from exactly the bytes of `payload`.
  ///
  /// - Throws: ``CodingFailure`` if the bytes are not a payload of this type.
  /// - Complexity: O(`payload.count`).
  static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self

  /// Appends the record's payload to the end of `payload`.
  ///
  /// - Throws: ``CodingFailure`` if a value of the record has no encoding; `payload` is then unchanged.
  func encode(into payload: inout [UInt8]) throws(CodingFailure)
}

extension Record {
  /// The unqualified name of the Swift type.
  public static var recordName: String { String(describing: Self.self) }

  /// None.
  public static var formerNames: [String] { [] }

  /// None.
  public static var reservedNames: [String] { [] }

  /// None: stored by name.
  public static var recordShape: RecordShape? { nil }

  /// Without tags.
  public static var hasTags: Bool { false }

  /// None.
  public static var tagNames: [String] { [] }

  /// None.
  public static func tags(_ value: Self) -> [EventTag] { [] }

  /// None.
  public static var samples: [Self] { [] }
}

extension Record where Self: Codable {
  /// Decodes the record by the names of its coding keys.
  public static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self {
    try PayloadDecoder.decode(Self.self, from: payload.copied)
  }

  /// Appends the record, encoded by the names of its coding keys.
  public func encode(into payload: inout [UInt8]) throws(CodingFailure) {
    payload += try PayloadEncoder.encode(self)
  }
}

/// The place where the compiler reports that a typealias for an unchanged record names no record.
///
/// `@Schema` writes one for each record, because the compiler hides errors inside the generated `Event` until
/// something uses it.
public enum CarriedRecord<Carried: Record> {
  /// The record.
  public typealias Itself = Carried
}
