package import AnnalsCoding

/// What the stages of a plan have worked out from the whole log, as a store keeps it, by the version that the stage leads to.
package struct StageContexts: Sendable {
  /// One stage's context.
  package enum Stored: Sendable {
    /// A value, encoded.
    case value([UInt8])
    /// Rows by key.
    case table(ContextTable)
  }

  /// The contexts that are there.
  package var contexts: [SchemaVersion: Stored] = [:]
  /// Where the groups of folds end.
  package var groupEnds: [SchemaVersion: ContextTable] = [:]

  package init() {}

  /// Whether nothing is there.
  package var isEmpty: Bool { contexts.isEmpty && groupEnds.isEmpty }

  /// Whether everything is there that `stage`, which leads to `version`, needs.
  package func suffice(for stage: StageOutline, to version: SchemaVersion) -> Bool {
    (!stage.hasContext || contexts[version] != nil) && (!stage.hasFold || groupEnds[version] != nil)
  }

  /// The context of the stage to `version`; `nil` where it has not been worked out yet.
  func context<Context: StageContext>(
    of version: SchemaVersion, as type: Context.Type
  ) throws(AnnalsError) -> Context? {
    switch contexts[version] {
    case nil: return nil
    case .table(let table):
      if let keyed = type as? any TabledContext.Type, let context = try keyed.init(table) as? Context {
        return context
      }
      throw Self.anotherType(version, "it was stored by key", nil)
    case .value(let bytes):
      if type is any TabledContext.Type { throw Self.anotherType(version, "it was not stored by key", nil) }
      do { return try PayloadDecoder.decode(type, from: bytes) } catch {
        throw Self.anotherType(version, "\(error)", error)
      }
    }
  }

  private static func anotherType(
    _ version: SchemaVersion, _ reason: String, _ cause: (any Error)?
  ) -> AnnalsError {
    AnnalsError(
      .shapeChanged,
      "the context of the stage to version \(version) was stored as another type: \(reason); give the type back the properties it had when the stage was activated",
      details: AnnalsError.Details { $0.version = version }, underlying: cause)
  }
}

/// What a stage has worked out, before it is stored.
package enum PreparedContext: Sendable {
  /// A value, encoded.
  case value([UInt8])
  /// Rows by key, in any order.
  case rows([ContextTable.Row])

  /// `context` as it is stored.
  init<Context: StageContext>(_ context: Context) throws {
    // By its declared type, as it is read: a keyed context inside an optional is a value.
    if Context.self is any TabledContext.Type, let keyed = context as? any TabledContext {
      self = .rows(try keyed.rows())
    } else {
      self = .value(try PayloadEncoder.encode(context))
    }
  }

  /// The same as it is read, without a store.
  package var unstored: StageContexts.Stored {
    switch self {
    case .value(let bytes): .value(bytes)
    case .rows(let rows): .table(ContextTable(rows))
    }
  }
}

/// A context that is stored by key.
protocol TabledContext {
  /// The context whose rows `table` has.
  init(_ table: ContextTable) throws(AnnalsError)

  /// Everything in it.
  func rows() throws -> [ContextTable.Row]
}
