internal import AnnalsCoding

/// Keeps records of one type in the log as they are stored, and delivers no events for them.
///
/// Reads of the newer version skip them as if they were dropped. A migration pass copies their entries with
/// the same payload, kind and version, so untyped reads and `dump --as` of an older version still return
/// them. To remove the payload, use ``Drop(_:reason:)``.
///
/// An entry is retained as a whole. If a rule of an earlier stage makes such records, this stage must retain
/// every record that the rule names. Otherwise the plan does not open a store.
///
/// The plan must keep the version in which the entries are stored, for as long as a store has any of them.
///
/// ```swift
/// Retain(\.faxReceived)
/// ```
///
/// - Parameter path: The record of the older version.
@inlinable public func Retain<From, To, Context, Old>(
  _ path: RecordPath<From, Old>
) -> Rule<From, To, Context> {
  Rule(.retain, From.Event.cases[keyPath: path].index, .retained) { _, _, _ in
    RecordStep<Old> { (_, _, _) throws(StepFailure) in
      // Stored records of this type are never decoded, so this one was made by a rule that names no outputs.
      throw .retainedEvent(Rule<From, To, Context>.site(Old.self))
    }
  }
}
