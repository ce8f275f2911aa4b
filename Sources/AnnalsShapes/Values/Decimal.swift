public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Decimal: StoredValue {
  /// The text of a decimal number.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .decimal }

  /// Reads a number from its canonical text.
  ///
  /// - Throws: ``CodingFailure`` also for another text of the number, such as one with trailing zeros.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    let start = reader.offset
    let text = try reader.text()
    guard let number = Decimal(exactly: text) else {
      throw CodingFailure(.refused, at: start, detail: "Decimal wanted")
    }
    guard number.description == text else {
      throw CodingFailure(.notCanonical, at: start, detail: "Decimal wanted")
    }
    self = number
  }

  /// Writes all digits of the number.
  ///
  /// - Throws: ``CodingFailure`` if the digits would be read as another number.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    let text = description
    guard let number = Decimal(exactly: text), number.description == text else {
      throw CodingFailure(.refused, at: writer.offset, detail: "a Decimal whose text is another number")
    }
    writer.text(text)
  }
}

extension Decimal {
  /// Creates the number in `text`; `nil` if it has none.
  fileprivate init?(exactly text: String) {
    if text == "NaN" {
      self = .nan
      return
    }
    // The platform's parser stops at the first byte that it does not know.
    guard JSONNumber.isNumber(text), let number = Decimal(string: text), !number.isNaN else { return nil }
    self = number
  }
}
