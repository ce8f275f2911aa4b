public import AnnalsCoding

extension StoredValue where Self: FixedWidthInteger {
  /// Reads a whole number that the type can represent.
  @inlinable
  @inline(__always)
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.integer()
  }

  /// Writes the number.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.integer(self)
  }
}

extension Int: StoredValue {
  /// A whole number of 64 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.int64) }
}

extension UInt: StoredValue {
  /// An unsigned whole number of 64 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.uint64) }
}

extension Int8: StoredValue {
  /// A whole number of 8 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.int8) }
}

extension Int16: StoredValue {
  /// A whole number of 16 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.int16) }
}

extension Int32: StoredValue {
  /// A whole number of 32 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.int32) }
}

extension Int64: StoredValue {
  /// A whole number of 64 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.int64) }
}

extension UInt8: StoredValue {
  /// An unsigned whole number of 8 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.uint8) }
}

extension UInt16: StoredValue {
  /// An unsigned whole number of 16 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.uint16) }
}

extension UInt32: StoredValue {
  /// An unsigned whole number of 32 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.uint32) }
}

extension UInt64: StoredValue {
  /// An unsigned whole number of 64 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.uint64) }
}
