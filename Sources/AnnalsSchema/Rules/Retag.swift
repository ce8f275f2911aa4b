package import AnnalsCoding

/// Computes tags of stored events again, from the record that they become in this stage.
///
/// Tags belong to the fact: they are stored with the event, and reads never change them. With this rule, a
/// migration pass replaces them in each entry that it takes across the stage. From the switch on, queries and
/// conditions use the new tags, and views that select events by tags with these names are built again. Until
/// the pass, and after a rollback, the old tags count.
///
/// ```swift
/// Retag(\.enrolled)                          // every tag that a field of the record declares
/// Retag(\.enrolled, "student", "pupil")      // these, also those that no field declares any more
/// ```
///
/// Tags with other names stay, such as those that a ``NewEvent`` has added. The name of a tag is its text up
/// to the first colon, or all of it. An entry that becomes several events gets the tags of each event whose
/// record has the rule. The rule may be next to another rule for the same record, and does not change the
/// events that reads deliver. Only ``Retain(_:)`` keeps the old tags, because it keeps the whole entry.
///
/// An event whose new tags cannot be stored ends the pass with `ruleFailed`, and the store stays as it was:
/// a tag has 1 to 500 bytes, and an event at most 64 tags.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - names: The names of the tags to compute again. Without names, the tags that fields of the record
///     declare with `@Field(tag:)` are computed again.
public func Retag<From, To, Context, New>(
  _ path: RecordPath<To, New>, _ names: String...
) -> Rule<From, To, Context> {
  Rule(
    RetagOutline(
      caseIndex: To.Event.cases[keyPath: path].index, isNamed: !names.isEmpty,
      names: (names.isEmpty ? New.tagNames : names).map { ExactText($0) }))
}

/// A rule that computes tags again, without its types.
package struct RetagOutline: Hashable, Sendable {
  /// The number of the record's case in the newer schema.
  package let caseIndex: Int
  /// Whether the rule names the tags; otherwise they are those of the record's fields.
  let isNamed: Bool
  /// The names of the tags.
  package let names: [ExactText]
}
