internal import AnnalsCoding

/// Drops the records of one type: reads skip them.
///
/// Their positions and revisions stay in use; later entries do not move.
///
/// - Parameters:
///   - path: The record of the older version.
///   - reason: Why they are dropped, for readers who find the gap.
@inlinable public func Drop<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, reason: String
) -> Rule<From, To, Context> {
  Rule(.drop, From.Event.cases[keyPath: path].index, .nothing(reason: reason)) { _, _, _ in
    RecordStep<Old> { _, _, buffer in
      if buffer.notesDrops { buffer.note(Rule<From, To, Context>.site(Old.self), reason) }
    }
  }
}
