#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension String: RowKey {
  /// Adds the UTF-8 bytes and a terminator.
  public func encode(into bytes: inout RowKeyBytes) { bytes.append(ending: utf8.span) }
}

extension StreamName: RowKey {
  /// Adds the bytes of the name and a terminator.
  public func encode(into bytes: inout RowKeyBytes) { text.encode(into: &bytes) }
}

extension Data: RowKey {
  /// Adds the bytes and a terminator.
  public func encode(into bytes: inout RowKeyBytes) { bytes.append(ending: Array(self).span) }
}

extension RowKey where Self: FixedWidthInteger {
  /// Adds eight bytes.
  ///
  /// Integers of more than 64 bits have no conformance.
  public func encode(into bytes: inout RowKeyBytes) {
    if Self.isSigned {
      bytes.append(UInt64(bitPattern: Int64(truncatingIfNeeded: self)) ^ (1 << 63))
    } else {
      bytes.append(UInt64(truncatingIfNeeded: self))
    }
  }
}

extension Int: RowKey {}
extension Int8: RowKey {}
extension Int16: RowKey {}
extension Int32: RowKey {}
extension Int64: RowKey {}
extension UInt: RowKey {}
extension UInt8: RowKey {}
extension UInt16: RowKey {}
extension UInt32: RowKey {}
extension UInt64: RowKey {}

extension Bool: RowKey {
  /// Adds 0 or 1.
  public func encode(into bytes: inout RowKeyBytes) { bytes.append(self ? 1 as UInt8 : 0) }
}

extension Double: RowKey {
  /// Adds eight bytes that sort in IEEE 754's total order, except that both zeros are one key.
  public func encode(into bytes: inout RowKeyBytes) {
    let pattern = (self == 0 ? 0 : self).bitPattern
    bytes.append(pattern >> 63 == 0 ? pattern ^ (1 << 63) : ~pattern)
  }
}

extension Date: RowKey {
  /// Adds the seconds.
  public func encode(into bytes: inout RowKeyBytes) { timeIntervalSinceReferenceDate.encode(into: &bytes) }
}

extension Position: RowKey {
  /// Adds the number.
  public func encode(into bytes: inout RowKeyBytes) { bytes.append(rawValue) }
}

extension UUID: RowKey {
  /// Adds the sixteen bytes.
  public func encode(into bytes: inout RowKeyBytes) {
    for byte in self.bytes { bytes.append(byte) }
  }
}

extension Optional: RowKey where Wrapped: RowKey {
  /// Adds 0 for `nil`, else 1 and the value.
  public func encode(into bytes: inout RowKeyBytes) {
    guard let self else { return bytes.append(0 as UInt8) }
    bytes.append(1 as UInt8)
    self.encode(into: &bytes)
  }
}

extension RowKey where Self: RawRepresentable, RawValue: RowKey {
  /// Adds the raw value.
  public func encode(into bytes: inout RowKeyBytes) { rawValue.encode(into: &bytes) }
}
