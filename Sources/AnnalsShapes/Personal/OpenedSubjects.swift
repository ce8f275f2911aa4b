package import AnnalsCoding

/// Whose personal values were decrypted for an event, before rules.
///
/// A rule may give such a value to another person. If that one was forgotten, nothing encrypts it.
package struct OpenedSubjects: Sendable {
  /// The people, each once. Their keys were not dropped.
  package private(set) var living: [ExactText] = []
  /// Whether anybody asks.
  private let isAsked: Bool

  package init(isAsked: Bool = true) { self.isAsked = isAsked }

  /// Adds a person.
  package mutating func add(_ subject: ExactText) {
    // Most events are about one or two people.
    if isAsked, !living.contains(subject) { living.append(subject) }
  }

  /// Adds the people of records that become one event with these.
  package mutating func add(_ others: OpenedSubjects) {
    for subject in others.living { add(subject) }
  }
}
