package import AnnalsCoding

extension PersonalForm {
  /// The number of the case of a stored value that is not encrypted.
  static let plain: UInt64 = 0
  /// The number of the case of an encrypted value.
  static let sealed: UInt64 = 1

  /// Returns a payload as it is stored: its personal values encrypted.
  ///
  /// - Parameters:
  ///   - payload: The payload as the record encodes it.
  ///   - type: The name of the record on disk.
  ///   - cipher: The keys.
  ///   - isNew: Whether it is a new event. A pass stores the value of a subject whose key was dropped as it
  ///     is: it is made of replacements, or was in the clear before.
  ///   - opened: People whose values were decrypted for an event that a pass writes.
  ///   - newer: The replacements that the newer form of a new event has.
  /// - Returns: The payload, and the subjects whose replacements it has, by the numbers of their fields.
  /// - Throws: ``AnnalsError`` with code `subjectForgotten` if such a subject gets another value than the
  ///   replacement in a new event, or one of `opened` has no key any more, and what `cipher` throws.
  package func seal(
    _ payload: Span<UInt8>, of type: ExactText, with cipher: any PersonalDataCipher,
    isNew: Bool, besides opened: OpenedSubjects? = nil,
    accepting newer: NewerReplacements = NewerReplacements()
  ) throws(AnnalsError) -> (payload: [UInt8], replaced: [Int: ExactText]) {
    var replaced: [Int: ExactText] = [:]
    let ranges: [Range<Int>]
    var subjects: [String] = []
    do throws(CodingFailure) {
      ranges = try self.ranges(in: payload)
      for field in fields { subjects.append(try subject(of: field, in: payload, ranges)) }
    } catch {
      throw AnnalsError(malformed: error, what: "a '\(type.text)'")
    }
    var output: [UInt8] = []
    output.reserveCapacity(payload.count + fields.count * 64)
    output.appendHead(.array, UInt64(count))
    var next = 0
    for (index, range) in ranges.enumerated() {
      let item = payload.extracting(range)
      guard next < fields.count, fields[next].index == index else {
        output.append(item)
        continue
      }
      let (field, subject) = (fields[next], subjects[next])
      next += 1
      if field.isOptional, item[0] == Self.null {
        output.append(Self.null)
        continue
      }
      let value = item.copied
      let context = Self.context(type: type, field: field.name, subject: subject)
      if let sealed = try cipher.seal(value, of: subject, in: context) {
        Self.append(sealed, to: &output)
      } else {
        replaced[field.index] = ExactText(subject)
        if isNew, value != field.replacement, !newer.include(field.index, of: subject) {
          throw AnnalsError(forgotten: field.name, of: type)
        }
        if let opened, opened.living.contains(ExactText(subject)) {
          throw AnnalsError(droppedMeanwhile: field.name, of: type)
        }
        output.appendHead(.array, 2)
        output.appendHead(.unsigned, Self.plain)
        output += value
      }
    }
    return (output, replaced)
  }

  package static var null: UInt8 { 0xf6 }
}

/// The replacements of forgotten subjects in the newer form of an event that is stored in an older one.
///
/// The two forms may declare different ones, and a program knows those of the newer.
package struct NewerReplacements: Sendable {
  /// The subjects whose replacements the older form's fields may hold, by the numbers of these fields.
  private var subjects: [Int: Set<ExactText>] = [:]

  /// Finds the older fields that may hold replacements.
  ///
  /// - Parameters:
  ///   - replaced: The subjects of the newer form's fields that have replacements.
  ///   - holders: The older fields that may hold the newer ones.
  package init(_ replaced: [Int: ExactText] = [:], in holders: PersonalHolders = [:]) {
    for (field, subject) in replaced {
      for older in holders[field] ?? [] { subjects[older, default: []].insert(subject) }
    }
  }

  /// Whether the value of a field of the older form is made of a replacement.
  func include(_ field: Int, of subject: String) -> Bool {
    subjects[field]?.contains(ExactText(subject)) ?? false
  }
}

/// The numbers of the older form's fields that may hold a personal field of the newer form, by its number.
package typealias PersonalHolders = [Int: Set<Int>]

extension AnnalsError {
  /// The error for an event with personal data of a subject whose key was dropped.
  fileprivate init(forgotten field: String, of type: ExactText) {
    self.init(
      .subjectForgotten,
      """
      a '\(type.text)' has a value in its personal field '\(field)', and the key of its subject was dropped; \
      nothing was written: append the event with the declared replacement, or under another id
      """, details: Details { $0.type = type.text })
  }

  /// The error for a key that was dropped after the value was decrypted and before it was encrypted again.
  fileprivate init(droppedMeanwhile field: String, of type: ExactText) {
    self.init(
      .subjectForgotten,
      """
      the key of the subject of a '\(type.text)' was dropped while its personal field '\(field)' was being \
      written: nothing was stored in the clear; run the pass again
      """, details: Details { $0.type = type.text })
  }

  /// The error for personal fields without keys.
  package static func noKeys(_ reason: String) -> AnnalsError {
    AnnalsError(
      .keyMissing, "\(reason): open the store with 'keys' of the product AnnalsKeys in its options")
  }
}
