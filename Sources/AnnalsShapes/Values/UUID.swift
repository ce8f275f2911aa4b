public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID: StoredValue {
  /// A byte string of 16 bytes.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .uuid }

  /// Reads the 16 bytes.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.uuid()
  }

  /// Writes the 16 bytes.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    withBytes { writer.bytes($0) }
  }
}
