internal import AnnalsCoding
package import AnnalsShapes

/// How the stored payloads of one kind become the payloads that its record decodes.
package struct Unsealing: Sendable {
  private let form: PersonalForm
  private let type: ExactText
  private let cipher: (any PersonalDataCipher)?
  /// For each personal field, the value that is read after the key was dropped.
  private let replacements: [[UInt8]?]

  /// Creates the conversion of payloads of `kind`; `nil` if it has no personal fields.
  ///
  /// - Parameters:
  ///   - kind: The kind as the store knows it.
  ///   - declared: The shape that the plan's record has, with the replacements.
  ///   - cipher: The keys; `nil` if the opener has none.
  package init?(_ kind: RecordKind, as declared: StoredShape?, _ cipher: (any PersonalDataCipher)?) {
    guard let form = kind.shape?.personal else { return nil }
    self.form = form
    self.cipher = cipher
    type = kind.type
    replacements = form.fields.map { field in
      declared?.personal?.field(field.name)?.replacement ?? (field.isOptional ? [PersonalForm.null] : nil)
    }
  }

  /// Appends to `output` the payload that the record decodes, and notes whose values it has.
  func open(
    _ payload: Span<UInt8>, to output: inout [UInt8], _ opened: inout OpenedSubjects
  ) throws(StepFailure) {
    let ranges: [Range<Int>]
    do throws(CodingFailure) { ranges = try form.ranges(in: payload) } catch { throw .undecodable(error) }
    output.appendHead(.array, UInt64(form.count))
    var next = 0
    for (index, range) in ranges.enumerated() {
      guard next < form.fields.count, form.fields[next].index == index else {
        output.append(payload.extracting(range))
        continue
      }
      try open(next, in: payload, ranges, to: &output, &opened)
      next += 1
    }
  }

  private func open(
    _ number: Int, in payload: Span<UInt8>, _ ranges: [Range<Int>], to output: inout [UInt8],
    _ subjects: inout OpenedSubjects
  ) throws(StepFailure) {
    let field = form.fields[number]
    let range = ranges[field.index]
    let stored: SealedValue
    let subject: String
    do throws(CodingFailure) {
      if field.isOptional, payload[range.lowerBound] == PersonalForm.null {
        return output.append(PersonalForm.null)
      }
      switch try PersonalForm.value(in: payload, range) {
      case .plain(let item):
        subjects.replaced.insert(ExactText(try form.subject(of: field, in: payload, ranges)))
        return output.append(payload.extracting(item))
      case .sealed(let value): stored = value
      }
      subject = try form.subject(of: field, in: payload, ranges)
    } catch {
      throw .undecodable(error)
    }
    let opened: OpenedValue
    do throws(AnnalsError) {
      guard let cipher else { throw AnnalsError.noKeys("the log has encrypted fields") }
      opened = try cipher.open(
        stored, of: subject, in: PersonalForm.context(type: type, field: field.name, subject: subject))
    } catch {
      throw .keysUnavailable(error)
    }
    switch opened {
    case .value(let value):
      subjects.hasValues = true
      output += value
    case .forgotten:
      guard let replacement = replacements[number] else {
        throw .undecodable(
          CodingFailure(
            .refused, at: range.lowerBound,
            detail: "the key of the subject was dropped, and the plan declares nothing in its place"))
      }
      subjects.replaced.insert(ExactText(subject))
      output += replacement
    case .forged:
      throw .undecodable(
        CodingFailure(
          .refused, at: range.lowerBound, detail: "the encrypted value was not made for this field"))
    }
  }
}
