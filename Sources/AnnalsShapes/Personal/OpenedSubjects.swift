package import AnnalsCoding

/// Whose personal values were read from the stored payloads of an event, before rules.
///
/// A rule may change the id of a person. If the person was forgotten under the new id alone, the values are
/// still those of the old one, and must not be taken for ones that are made of replacements.
package struct OpenedSubjects: Sendable {
  /// Whether any value was decrypted.
  package var hasValues = false
  /// The subjects with replacements, or with values that were stored in the clear.
  package var replaced: Set<ExactText> = []

  package init() {}

  /// Whether there was any.
  package var isNoted: Bool { hasValues || !replaced.isEmpty }

  /// Whether a value of a forgotten subject can only be made of replacements.
  func explains(_ subject: String) -> Bool { !hasValues || replaced.contains(ExactText(subject)) }
}
