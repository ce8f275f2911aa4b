#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DecodingItem {
  /// Decodes the item as a value of the given type: in its own form if the type has one, otherwise by its
  /// `Decodable` code.
  package func decode<T: Decodable>(_ type: T.Type) throws(CodingFailure) -> T {
    if let special = try special(type) {
      guard let value = special as? T else { throw failure(.wrongType, "\(type) wanted") }
      return value
    }
    do {
      return try T(from: ItemDecoder(item: self))
    } catch {
      throw CodingFailure(wrapping: error, at: offset, path: path)
    }
  }

  private func special<T: Decodable>(_ type: T.Type) throws(CodingFailure) -> Any? {
    if T.self == Data.self {
      return Data(try bytesOrBase64())
    } else if T.self == [UInt8].self {
      return try bytesOrBase64()
    } else if T.self == Date.self {
      return try date()
    } else if T.self == UUID.self {
      return try uuid()
    } else if T.self == URL.self {
      guard let url = URL(string: try text()) else { throw failure(.refused, "URL wanted") }
      return url
    } else if T.self == Decimal.self {
      return try decimal()
    } else if let collection = T.self as? any DecodableByElements.Type {
      return try collection.decodeElements(from: self)
    }
    return nil
  }

  private func bytesOrBase64() throws(CodingFailure) -> [UInt8] {
    if let bytes = try byteString() {
      return bytes
    }
    guard isText else { throw failure(.wrongType, "a byte string wanted") }
    guard let bytes = Base64.bytes(try text()) else { throw failure(.refused, "base64 wanted") }
    return bytes
  }

  private func date() throws(CodingFailure) -> Date {
    guard isText else { return Date(timeIntervalSinceReferenceDate: try double()) }
    do {
      return try Timestamp(parsing: try text()).date
    } catch {
      throw failure(error.reason, "ISO 8601 wanted")
    }
  }

  private func uuid() throws(CodingFailure) -> UUID {
    let id: UUID?
    if let bytes = try byteString() {
      id = UUID(bytes: bytes)
    } else if isText {
      id = UUID(uuidString: try text())
    } else {
      throw failure(.wrongType, "UUID wanted")
    }
    guard let id else { throw failure(.refused, "UUID wanted") }
    return id
  }

  private func decimal() throws(CodingFailure) -> Decimal {
    let text = try text()
    if text == "NaN" {
      return .nan
    }
    // The platform's parser stops at the first byte it does not know, and rounds beyond 38 digits.
    guard JSONNumber.isNumber(text), let number = Decimal(string: text) else {
      throw failure(.refused, "Decimal wanted")
    }
    guard JSONNumber.significantDigits(text) <= 38 || number.description == text, !number.isNaN else {
      throw failure(.outOfRange, "Decimal wanted")
    }
    return number
  }
}
