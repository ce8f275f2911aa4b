package import AnnalsCoding

/// A value of a personal field as it is stored.
package enum StoredPersonalValue {
  /// The range of the value itself, which is not encrypted.
  case plain(Range<Int>)
  case sealed(SealedValue)
}

extension PersonalForm {
  /// Appends an encrypted value as it is stored.
  static func append(_ value: SealedValue, to output: inout [UInt8]) {
    output.appendHead(.array, 3)
    output.appendHead(.unsigned, sealed)
    output.appendHead(.unsigned, UInt64(value.key))
    output.appendHead(.bytes, UInt64(value.box.count))
    output += value.box
  }

  /// Reads the value that is stored in a range of a payload.
  package static func value(
    in payload: Span<UInt8>, _ range: Range<Int>
  ) throws(CodingFailure) -> StoredPersonalValue {
    var reader = CBORReader(payload, at: range.lowerBound)
    let head = try reader.canonicalHead()
    guard head.major == .array, head.argument == 2 || head.argument == 3 else {
      throw CodingFailure(.wrongType, at: range.lowerBound, detail: "a personal value wanted")
    }
    let form = try reader.canonicalHead()
    guard form.major == .unsigned, form.argument == (head.argument == 2 ? plain : sealed) else {
      throw CodingFailure(.wrongType, at: range.lowerBound, detail: "a personal value wanted")
    }
    if form.argument == plain { return .plain(reader.offset..<range.upperBound) }
    let key = try reader.canonicalHead()
    let box = try reader.canonicalHead()
    guard key.major == .unsigned, box.major == .bytes, let number = UInt32(exactly: key.argument) else {
      throw CodingFailure(.wrongType, at: range.lowerBound, detail: "a key's number and bytes wanted")
    }
    return .sealed(SealedValue(key: number, box: reader.copy(try reader.take(box.argument))))
  }

  /// Calls `body` with each encrypted value of a payload.
  ///
  /// A payload that is no value of the record has none: nobody can read it, and imports can store such ones.
  ///
  /// - Parameter body: Receives the number of the field, its name, the id of the subject, and the value.
  package func eachSealed(
    in payload: Span<UInt8>,
    _ body: (_ index: Int, _ name: String, _ subject: String, SealedValue) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    var found: [(Int, String, String, SealedValue)] = []
    do throws(CodingFailure) {
      let ranges = try ranges(in: payload)
      for field in fields {
        let range = ranges[field.index]
        if field.isOptional, payload[range.lowerBound] == Self.null { continue }
        guard case .sealed(let value) = try Self.value(in: payload, range) else { continue }
        found.append((field.index, field.name, try subject(of: field, in: payload, ranges), value))
      }
    } catch {
      return
    }
    for (index, name, subject, value) in found { try body(index, name, subject, value) }
  }

  /// Returns a stored payload with its values under the newest keys; `nil` if none has an older one.
  ///
  /// - Parameter type: The name of the record on disk.
  /// - Throws: What `cipher` throws.
  package func renewed(
    _ payload: Span<UInt8>, of type: ExactText, with cipher: any PersonalDataCipher
  ) throws(AnnalsError) -> [UInt8]? {
    var values: [Int: SealedValue] = [:]
    try eachSealed(in: payload) { (index, name, subject, value) throws(AnnalsError) in
      let context = Self.context(type: type, field: name, subject: subject)
      values[index] = try cipher.renew(value, of: subject, in: context)
    }
    if values.isEmpty { return nil }
    let ranges: [Range<Int>]
    do throws(CodingFailure) { ranges = try self.ranges(in: payload) } catch { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(payload.count + values.count * 4)
    output.appendHead(.array, UInt64(count))
    for (index, range) in ranges.enumerated() {
      if let value = values[index] {
        Self.append(value, to: &output)
      } else {
        output.append(payload.extracting(range))
      }
    }
    return output
  }
}
