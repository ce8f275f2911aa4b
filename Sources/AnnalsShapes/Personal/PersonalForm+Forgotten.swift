package import AnnalsCoding

extension PersonalForm {
  /// Returns the numbers of the fields that have another value than the replacement, of people whose keys
  /// were dropped.
  ///
  /// - Parameters:
  ///   - payload: The payload as the record encodes it.
  ///   - opened: People whose keys were not dropped.
  ///   - cipher: The keys.
  /// - Throws: What `cipher` throws.
  package func forgottenFields(
    in payload: Span<UInt8>, besides opened: OpenedSubjects, _ cipher: any PersonalDataCipher
  ) throws(AnnalsError) -> [Int] {
    var found: [(number: Int, subject: String)] = []
    do throws(CodingFailure) {
      let ranges = try ranges(in: payload)
      for field in fields {
        let range = ranges[field.index]
        if field.isOptional, payload[range.lowerBound] == Self.null { continue }
        let subject = try subject(of: field, in: payload, ranges)
        if opened.living.contains(ExactText(subject)) { continue }
        if payload.extracting(range).copied != field.replacement { found.append((field.index, subject)) }
      }
    } catch {
      throw AnnalsError(malformed: error, what: "an event with personal fields")
    }
    var numbers: [Int] = []
    for (number, subject) in found where try cipher.hasDropped(subject) { numbers.append(number) }
    return numbers
  }

  /// Returns a payload with the replacements of fields in which another payload has other values; `nil` if
  /// none differs.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the fields.
  ///   - payload: The payload as the record encodes it.
  ///   - other: Another payload of the record; `nil` if every field counts as different.
  package func replacing(
    _ numbers: [Int], in payload: Span<UInt8>, unlessIn other: [UInt8]?
  ) throws(CodingFailure) -> [UInt8]? {
    let ranges = try ranges(in: payload)
    var replaced = Set(numbers)
    if let other {
      let others = try self.ranges(in: other.span)
      for number in numbers where payload.extracting(ranges[number]).copied == Array(other[others[number]]) {
        replaced.remove(number)
      }
    }
    if replaced.isEmpty { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(payload.count)
    output.appendHead(.array, UInt64(count))
    for (index, range) in ranges.enumerated() {
      if replaced.contains(index), let field = fields.first(where: { $0.index == index }) {
        output += field.replacement ?? [Self.null]
      } else {
        output.append(payload.extracting(range))
      }
    }
    return output
  }
}
