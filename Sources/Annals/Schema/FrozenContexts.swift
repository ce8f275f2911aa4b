/// The contexts of a plan's stages, worked out and not to be changed.
package struct FrozenContexts: Sendable {
  let bytes: ContextBytes

  /// None.
  package init() {
    bytes = ContextBytes()
  }

  init(_ bytes: ContextBytes) {
    self.bytes = bytes
  }

  /// Each context as it is stored, by the version that its stage leads to, oldest first.
  package var stored: [(version: SchemaVersion, bytes: [UInt8])] {
    bytes.byVersion.sorted { $0.key < $1.key }.map { (version: $0.key, bytes: $0.value) }
  }
}

extension SchemaMigrationPlan {
  /// The contexts that the plan's stages work out from a log of these entries.
  ///
  /// - Throws: What a stage's `prepare` throws, and ``AnnalsError`` for an entry that cannot be read.
  package static func contexts(
    of log: [(form: StoredForm, origin: Origin)]
  ) throws -> FrozenContexts {
    let chain = stages
    let history = UnstoredHistory(entries: log)
    var contexts = ContextBytes()
    for (schema, work) in zip(chain.outline.schemas.dropFirst(), chain.works) {
      guard let prepare = work.prepare else { continue }
      contexts.byVersion[schema.version] = try prepare(history, contexts)
    }
    return FrozenContexts(contexts)
  }
}
