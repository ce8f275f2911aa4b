import Annals

extension SchemaMigrationPlan {
  /// Returns the contexts of the plan's stages over a log, without the entries that an earlier stage refuses.
  ///
  /// A refusal is an outcome like any other: an entry that is left out fails with the same error when it is
  /// read by itself.
  ///
  /// - Returns: The contexts, and the positions of the entries that were left out.
  /// - Throws: The errors of a stage's `prepare`, and ``AnnalsError`` if it blames no entry.
  /// - Complexity: One run over the log for each entry that is left out.
  static func readableContexts(
    of log: [(form: StoredForm, origin: Origin)]
  ) throws -> (contexts: FrozenContexts, refused: Set<Position>) {
    guard hasContexts else { return (FrozenContexts(), []) }
    var refused: Set<Position> = []
    while true {
      do {
        return (try contexts(of: log.filter { !refused.contains($0.origin.position) }), refused)
      } catch let error as AnnalsError {
        guard let position = error.refusedPosition, refused.insert(position).inserted else { throw error }
      }
    }
  }
}

extension AnnalsError {
  /// The position of the entry that a rule or a decoder refuses; `nil` for any other error.
  var refusedPosition: Position? { code == .ruleFailed || code == .malformed ? details.position : nil }
}
