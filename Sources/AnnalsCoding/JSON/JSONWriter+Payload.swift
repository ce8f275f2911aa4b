extension JSONWriter {
  /// Appends the JSON of a payload.
  ///
  /// - Throws: ``CodingFailure`` if the bytes are not a payload; nothing is appended then.
  package mutating func payload(_ payload: Span<UInt8>) throws(CodingFailure) {
    try PayloadCheck.validate(payload)
    var reader = CBORReader(payload)
    try item(&reader)
  }

  /// Appends the JSON of a value.
  ///
  /// - Throws: ``CodingFailure`` if no payload can have the value.
  package mutating func value(_ value: CBOR) throws(CodingFailure) {
    let encoded = try value.encodedPayload()
    try payload(encoded.span)
  }

  /// Appends the JSON of the next item of a checked payload, and consumes the item.
  package mutating func item(_ reader: inout CBORReader) throws(CodingFailure) {
    let head = try reader.head()
    switch head.major {
    case .unsigned: unsigned(head.argument)
    case .negative: negative(head.argument)
    case .bytes: byteString(reader.copy(try reader.take(head.argument)))
    case .text: text(reader.bytes.extracting(try reader.take(head.argument)))
    case .array:
      bytes.append(UInt8(ascii: "["))
      for index in 0..<head.argument {
        if index > 0 {
          bytes.append(UInt8(ascii: ","))
        }
        try item(&reader)
      }
      bytes.append(UInt8(ascii: "]"))
    case .map:
      bytes.append(UInt8(ascii: "{"))
      for index in 0..<head.argument {
        if index > 0 {
          bytes.append(UInt8(ascii: ","))
        }
        let keyHead = try reader.head()
        key(reader.bytes.extracting(try reader.take(keyHead.argument)), isAlone: head.argument == 1)
        try item(&reader)
      }
      bytes.append(UInt8(ascii: "}"))
    case .tag: throw CodingFailure(.unsupported, at: reader.offset, detail: "a tag")
    case .simple:
      switch head.info {
      case 20: raw("false")
      case 21: raw("true")
      case 22: raw("null")
      default: double(Double(bitPattern: head.floatForm.widened))
      }
    }
  }
}
