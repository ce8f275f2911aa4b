package import AnnalsCoding
package import AnnalsSchema

/// The contexts and folds that a plan's stages have computed from a whole log, frozen.
package struct FrozenContexts: Sendable {
  let contexts: StageContexts

  /// Creates an empty value.
  package init() {
    contexts = StageContexts()
  }

  package init(_ contexts: StageContexts) {
    self.contexts = contexts
  }

  /// Returns all of it as bytes: for each version that a stage leads to, oldest first, its context and then
  /// the ends of its groups.
  package func bytes() throws(AnnalsError) -> [(version: SchemaVersion, bytes: [UInt8])] {
    var bytes: [(version: SchemaVersion, bytes: [UInt8])] = []
    for (version, context) in contexts.contexts.sorted(by: { $0.key < $1.key }) {
      switch context {
      case .value(let value): bytes.append((version, value))
      case .table(let table): bytes.append((version, try table.rows().flatMap { $0.key + $0.value }))
      }
    }
    for (version, table) in contexts.groupEnds.sorted(by: { $0.key < $1.key }) {
      bytes.append((version, try table.rows().flatMap { $0.key + $0.value }))
    }
    return bytes
  }
}

extension SchemaMigrationPlan {
  /// Computes the contexts of the plan's stages from a log of these entries.
  ///
  /// - Throws: Any error of a stage's `prepare`, and ``AnnalsError`` for an entry that cannot be read.
  package static func contexts(
    of log: [(form: StoredForm, origin: Origin)]
  ) throws -> FrozenContexts {
    let chain = stages
    let history = UnstoredHistory(entries: log)
    var contexts = StageContexts()
    for (schema, work) in zip(chain.outline.schemas.dropFirst(), chain.works) {
      if let prepare = work.prepare {
        contexts.contexts[schema.version] = try prepare(history, contexts).unstored
      }
      if let ends = work.groupEnds {
        contexts.groupEnds[schema.version] = ContextTable(try ends(history, contexts).rows)
      }
    }
    return FrozenContexts(contexts)
  }
}
