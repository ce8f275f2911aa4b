internal import AnnalsCoding

/// A rule that keeps records of one type in the log as they are stored, and delivers nothing for them.
///
/// Reads of the newer version skip them as if they were dropped. A migration pass copies their entries with
/// the same payload, kind and version, so that untyped reads and `dump --as` of an older version still have
/// them. Write ``Drop(_:reason:)`` where the payload shall go.
///
/// An entry is retained as a whole. Where a rule of an earlier stage makes such records, every record that it
/// names must be retained by this stage too; a plan in which it is not does not open a store.
///
/// The plan keeps the version that the entries are stored in, for as long as a store has any of them.
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
      // What is stored as such a record is never decoded: this one was made by a rule that names no outputs.
      throw .retainedEvent(Rule<From, To, Context>.site(Old.self))
    }
  }
}
