/// The payload of an event as the log stores it: a CBOR map in deterministic encoding
/// (docs/format-payloads.md).
public struct Payload: Hashable, Sendable {
  /// The encoded map.
  public let bytes: [UInt8]

  /// Creates a payload from its encoded bytes.
  ///
  /// - Parameter bytes: One CBOR map in the deterministic encoding of RFC 8949, section 4.2.1, with text
  ///   keys.
  /// - Throws: ``AnnalsError`` with code `malformed` and the offset, for any other bytes.
  /// - Complexity: O(`bytes.count`).
  public init(bytes: [UInt8]) throws(AnnalsError) {
    do throws(CodingFailure) {
      guard try PayloadCheck.validate(bytes.span) == .map else {
        throw CodingFailure(.wrongType, at: 0, detail: "a payload is a map")
      }
    } catch {
      throw AnnalsError(malformed: error, what: "the payload")
    }
    self.bytes = bytes
  }

  /// Encodes `value`, a map with text keys that only has values allowed in a payload.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  public init(_ value: CBOR) throws(AnnalsError) {
    do throws(CodingFailure) {
      guard case .map = value else { throw CodingFailure(.wrongType, at: 0, detail: "a payload is a map") }
      bytes = try value.encodedPayload()
    } catch {
      throw AnnalsError(malformed: error, what: "the payload")
    }
  }

  /// Creates a payload from bytes of the log, without a check.
  package init(stored bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The payload as a tree of values.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` if the bytes, read from a log, are not a payload.
  public var value: CBOR {
    get throws(AnnalsError) {
      do { return try CBOR(payload: bytes) } catch {
        throw AnnalsError(malformed: error, what: "the payload")
      }
    }
  }
}

extension AnnalsError {
  /// Creates the error for bytes that are not the required CBOR.
  package init(malformed failure: CodingFailure, what: String) {
    var details = Details()
    details.offset = failure.offset
    self.init(.malformed, "\(what) is not valid: \(failure)", details: details, underlying: failure)
  }
}
