internal import AnnalsCoding

/// A rule that delivers nothing for records of one type.
///
/// Their positions and revisions stay taken; nothing after them moves.
///
/// - Parameters:
///   - path: The record of the older version.
///   - reason: Why they are dropped, for whoever finds the gap.
@inlinable public func Drop<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, reason: String
) -> Rule<From, To, Context> {
  Rule(.drop, From.Event.cases[keyPath: path].index, .nothing(reason: reason)) { _, _, _ in
    RecordStep<Old> { _, _, sink in
      if sink.notesDrops { sink.note(Rule<From, To, Context>.site(Old.self), reason) }
    }
  }
}
