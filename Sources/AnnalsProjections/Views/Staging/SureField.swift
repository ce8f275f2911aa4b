internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A type of fields whose values can always be encoded.
///
/// Rows with other fields are encoded after each change, because each may be one that has no encoding. Types
/// of the program are among the others: their code may refuse a value.
protocol SureField {}

/// A type whose values can always be encoded, and never as null.
protocol SureValue: SureField {}

extension Bool: SureValue {}
extension Data: SureValue {}
extension Date: SureValue {}
extension Double: SureValue {}
extension Float: SureValue {}
extension Int: SureValue {}
extension Int8: SureValue {}
extension Int16: SureValue {}
extension Int32: SureValue {}
extension Int64: SureValue {}
extension String: SureValue {}
extension UInt: SureValue {}
extension UInt8: SureValue {}
extension UInt16: SureValue {}
extension UInt32: SureValue {}
extension UInt64: SureValue {}
extension UUID: SureValue {}
extension Array: SureField, SureValue where Element: SureValue {}
extension Dictionary: SureField, SureValue where Key == String, Value: SureValue {}
// A set of numbers may have NaN twice, which is refused.
extension Set: SureField, SureValue where Element == String {}
extension Optional: SureField where Wrapped: SureValue {}

extension RecordShape {
  /// Whether every record of the shape can be encoded, by the types of its fields.
  var isSure: Bool {
    fields.allSatisfy { field in
      guard let path: AnyKeyPath = field.path else { return false }
      return type(of: path).valueType is any SureField.Type
    }
  }
}
