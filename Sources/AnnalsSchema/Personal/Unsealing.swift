internal import AnnalsCoding
package import AnnalsShapes

/// How the stored payloads of one kind become the payloads that its record decodes.
package struct Unsealing: Sendable {
  let form: PersonalForm
  let type: ExactText
  let cipher: (any PersonalDataCipher)?
  /// The form by name of the payloads as they are stored.
  let storedNames: NamedForm
  /// For each personal field, the value that readers get after the key was dropped.
  private let replacements: [PersonalReading.Replacement]
  /// How the record takes the values; `nil` if it is stored by name.
  private let reading: PersonalReading?

  /// Creates the conversion of payloads of `kind`; `nil` if the record reads no personal fields of them.
  ///
  /// - Parameters:
  ///   - kind: The kind as the store knows it.
  ///   - declared: The shape that the plan's record has, with the replacements.
  ///   - isNewer: Whether the kind is of a version above the plan's.
  ///   - drafts: What the two shapes have in common if they are drafts of one version.
  ///   - omitsForgotten: Whether a record that is stored by name can lack the field of a dropped key.
  ///   - cipher: The keys; `nil` if the opener has none.
  package init?(
    _ kind: RecordKind, as declared: StoredShape?, isNewer: Bool = false, drafts: DraftRoots? = nil,
    omitsForgotten: Bool = false,
    _ cipher: (any PersonalDataCipher)?
  ) {
    guard let shape = kind.shape, let form = shape.personal else { return nil }
    self.form = form
    self.cipher = cipher
    type = kind.type
    storedNames = shape.storedNames
    let reading = declared.map { PersonalReading(form, shape, as: $0, isNewer: isNewer, drafts: drafts) }
    self.reading = reading
    replacements =
      reading?.replacements
      ?? form.fields.map { $0.isOptional || omitsForgotten ? .value([PersonalForm.null]) : .missing }
    let readsNothing = replacements.allSatisfy { if case .ignored = $0 { true } else { false } }
    if readsNothing { return nil }
  }

  /// Returns the conversion of opened payloads to the record's shape if these fields have replacements of the
  /// type that reads them.
  func conversion(retyping fields: [Int]) -> Conversion? { reading?.conversion(retyping: fields) }

  /// Appends to `output` the payload that the record decodes, and notes whose values it has.
  ///
  /// - Parameter withholds: Whether everyone counts as forgotten.
  /// - Returns: The numbers of the fields with a replacement of another type than the stored one.
  func open(
    _ payload: Span<UInt8>, to output: inout [UInt8], _ opened: inout OpenedSubjects,
    withholds: Bool = false
  ) throws(StepFailure) -> [Int] {
    let ranges: [Range<Int>]
    do throws(CodingFailure) { ranges = try form.ranges(in: payload) } catch { throw .undecodable(error) }
    output.appendHead(.array, UInt64(form.count))
    var next = 0
    var retyped: [Int] = []
    for (index, range) in ranges.enumerated() {
      guard next < form.fields.count, form.fields[next].index == index else {
        output.append(payload.extracting(range))
        continue
      }
      if try open(next, in: payload, ranges, to: &output, &opened, withholds) { retyped.append(index) }
      next += 1
    }
    return retyped
  }

  /// Appends the value of a personal field, and returns whether it is of another type than the stored one.
  private func open(
    _ number: Int, in payload: Span<UInt8>, _ ranges: [Range<Int>], to output: inout [UInt8],
    _ subjects: inout OpenedSubjects, _ withholds: Bool
  ) throws(StepFailure) -> Bool {
    if case .ignored = replacements[number] {
      output.append(PersonalForm.null)
      return false
    }
    let field = form.fields[number]
    let range = ranges[field.index]
    let stored: SealedValue
    let subject: String
    do throws(CodingFailure) {
      if field.isOptional, payload[range.lowerBound] == PersonalForm.null {
        output.append(PersonalForm.null)
        return false
      }
      switch try PersonalForm.value(in: payload, range) {
      case .plain(let item):
        output.append(payload.extracting(item))
        return false
      case .sealed(let value): stored = value
      }
      subject = try form.subject(of: field, in: payload, ranges)
    } catch {
      throw .undecodable(error)
    }
    let opened: OpenedValue
    do throws(AnnalsError) {
      guard let cipher else { throw AnnalsError.noKeys("the log has encrypted fields") }
      let context = PersonalForm.context(type: type, field: field.name, subject: subject)
      opened = withholds ? .forgotten : try cipher.open(stored, of: subject, in: context)
    } catch {
      throw .keysUnavailable(error)
    }
    switch opened {
    case .value(let value):
      subjects.add(ExactText(subject))
      output += value
    case .forgotten:
      switch replacements[number] {
      case .value(let replacement): output += replacement
      case .retyped(let replacement):
        output += replacement
        return true
      case .missing, .ignored:
        throw .undecodable(
          CodingFailure(
            .refused, at: range.lowerBound,
            detail:
              "the key of the subject of '\(field.name)' was dropped, and the plan declares nothing in its place: make the field that reads it optional, or personal with 'erased:'"
          ))
      }
    case .forged:
      throw .undecodable(
        CodingFailure(
          .refused, at: range.lowerBound, detail: "the encrypted value was not made for this field"))
    }
    return false
  }
}
