internal import AnnalsCoding
internal import AnnalsShapes

// What a rewrite loses of encrypted payloads.
extension Unsealing {
  /// Returns a payload with its personal values decrypted, and null for those that no key decrypts.
  func opened(_ payload: Span<UInt8>) throws(CodingFailure) -> [UInt8] {
    let ranges = try form.ranges(in: payload)
    var values: [Int: [UInt8]] = [:]
    for field in form.fields {
      let range = ranges[field.index]
      if field.isOptional, payload[range.lowerBound] == PersonalForm.null { continue }
      switch try PersonalForm.value(in: payload, range) {
      case .plain(let item): values[field.index] = payload.extracting(item).copied
      case .sealed(let value):
        let subject = try form.subject(of: field, in: payload, ranges)
        let context = PersonalForm.context(type: type, field: field.name, subject: subject)
        let opened: OpenedValue?
        do throws(AnnalsError) { opened = try cipher?.open(value, of: subject, in: context) } catch {
          throw CodingFailure(.refused, at: range.lowerBound, detail: error.message)
        }
        values[field.index] = if case .value(let bytes)? = opened { bytes } else { [PersonalForm.null] }
      }
    }
    var output: [UInt8] = []
    output.appendHead(.array, UInt64(form.count))
    for (index, range) in ranges.enumerated() {
      if let value = values[index] { output += value } else { output.append(payload.extracting(range)) }
    }
    return output
  }

  /// Returns losses that were found in a decrypted payload as they are stored, so that personal values stay
  /// encrypted.
  func stored(_ losses: PayloadLosses, of payload: Span<UInt8>) throws(CodingFailure) -> PayloadLosses {
    if losses.values.isEmpty { return losses }
    let names = Set(form.fields.map { ExactText($0.name) })
    var stored = PayloadLosses()
    try storedNames.write(payload, to: &stored.named)
    let others = losses.values.map(\.path).filter { !names.contains($0[0]) }
    if !others.isEmpty { stored.values = try KeyedValues.of(others, in: stored.named.span) }
    try stored.add(inPersonalFields: losses.values.filter { names.contains($0.path[0]) })
    return stored
  }
}
