/// A type whose values are stored as events or as parts of a schema.
///
/// A struct that stands directly inside the braces of a ``Schema(_:_:_:)`` and says `: Record` becomes a case of
/// the schema's event. Everything the protocol asks for has a default for `Codable` types: such a record is stored by
/// the names of its coding keys.
public protocol Record: Codable, Sendable {
  /// The name of the type on disk, without module or schema; by default the unqualified name of the Swift type.
  ///
  /// A name has 1 to 500 bytes of UTF-8 without NUL, and names are equal when their bytes are. A type that is renamed in
  /// Swift keeps its place on disk by returning its first name here.
  static var recordName: String { get }

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
/// `@Schema` writes one for each typealias: errors inside the `Event` it writes are not shown.
public struct CarriedRecord<Carried: Record>: Sendable {
  /// Does nothing; that it compiles is its use.
  public init(_: Carried.Type) {}
}
