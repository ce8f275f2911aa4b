public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Date: StoredValue {
  /// A point in time: the seconds since 2001-01-01T00:00:00Z as a double-precision number.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .date }

  /// Reads a point in time, bit for bit.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self.init(timeIntervalSinceReferenceDate: try reader.double())
  }

  /// Writes the seconds in the shortest form that keeps their bits.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.double(timeIntervalSinceReferenceDate)
  }
}
