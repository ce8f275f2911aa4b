public import AnnalsCoding

/// A type whose values are stored as events: a record of a schema.
///
/// `@Record` on a struct directly inside the braces of a schema writes the conformance, by way of ``ShapedRecord``. A struct that says `: Record, Codable`
/// is one too: it is stored by the names of its coding keys, without a shape, which is slower and cannot be carried into another type without a rule.
public protocol Record: Sendable {
  /// The name of the type on disk, without module or schema; by default the unqualified name of the Swift type.
  ///
  /// A name has 1 to 500 bytes of UTF-8 without NUL, and names are equal when their bytes are. A type that is renamed in
  /// Swift keeps its place on disk by returning its first name here.
  static var recordName: String { get }

  /// The names on disk that the record had in the version before; none by default.
  ///
  /// A stage takes a record of one of these names to this type, as if the name had stayed.
  static var formerNames: [String] { get }

  /// Names of fields that the record once had and that may not come back; none by default.
  static var reservedNames: [String] { get }

  /// What payloads look like; `nil` for a record that is stored by name.
  static var recordShape: RecordShape? { get }

  /// Values of the record for tests of rules and for recorded fixtures; none by default.
  static var samples: [Self] { get }

  /// The record whose payload is exactly `payload`.
  ///
  /// - Throws: ``CodingFailure`` where the bytes are no payload of this type.
  /// - Complexity: O(`payload.count`).
  static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self

  /// Adds the record's payload to the end of `payload`.
  ///
  /// - Throws: ``CodingFailure`` where a value of the record has no encoding; `payload` is then as it was.
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

  /// None.
  public static var samples: [Self] { [] }
}

extension Record where Self: Codable {
  /// The record read by the names of its coding keys.
  public static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self {
    try PayloadDecoder.decode(Self.self, from: payload.copied)
  }

  /// Adds the record, written by the names of its coding keys.
  public func encode(into payload: inout [UInt8]) throws(CodingFailure) {
    payload += try PayloadEncoder.encode(self)
  }
}

/// Where the compiler says that a carried typealias names no record.
///
/// `@Schema` names one for each record: errors inside the `Event` it writes are not shown unless something uses it.
public enum CarriedRecord<Carried: Record> {
  /// The record.
  public typealias Itself = Carried
}
