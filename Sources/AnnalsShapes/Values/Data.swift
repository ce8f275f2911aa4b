public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: StoredValue {
  /// A byte string.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .bytes }

  /// Reads the bytes.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.data()
  }

  /// Writes the bytes.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.bytes(span)
  }
}
