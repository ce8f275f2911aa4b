package import AnnalsCoding
package import AnnalsShapes

/// The contexts of a plan's stages, as a store keeps them, by the version that each stage leads to.
package struct StageContexts: Sendable {
  /// The stored context of one stage.
  package enum Stored: Sendable {
    /// An encoded value.
    case value([UInt8])
    /// Rows by key.
    case table(ContextTable)
  }

  /// The existing contexts.
  package var contexts: [SchemaVersion: Stored] = [:]
  /// The tables of where the groups of folds end.
  package var groupEnds: [SchemaVersion: ContextTable] = [:]

  /// The keys of personal fields, for the plan that reads the store; `nil` if the opener has none.
  package var keys: (any PersonalDataCipher)?

  package init(keys: (any PersonalDataCipher)? = nil) {
    self.keys = keys
  }

  /// Whether there are no contexts and no group ends.
  package var isEmpty: Bool { contexts.isEmpty && groupEnds.isEmpty }

  /// Returns whether everything that `stage`, which leads to `version`, needs exists.
  package func suffice(for stage: StageOutline, to version: SchemaVersion) -> Bool {
    (!stage.hasContext || contexts[version] != nil) && (!stage.hasFold || groupEnds[version] != nil)
  }

  /// Returns the context of the stage to `version`; `nil` if it has not been computed yet.
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

/// The computed context of a stage, before it is stored.
package enum PreparedContext: Sendable {
  /// An encoded value.
  case value([UInt8])
  /// Rows by key, in any order.
  case rows([ContextTable.Row])

  /// Converts `context` to its stored form.
  init<Context: StageContext>(_ context: Context) throws {
    // By its declared type, as on reading: a keyed context inside an optional is a value.
    if Context.self is any TabledContext.Type, let keyed = context as? any TabledContext {
      self = .rows(try keyed.rows())
    } else {
      self = .value(try PayloadEncoder.encode(context))
    }
  }

  /// The same context in the form for reading, without a store.
  package var unstored: StageContexts.Stored {
    switch self {
    case .value(let bytes): .value(bytes)
    case .rows(let rows): .table(ContextTable(rows))
    }
  }
}

/// A context that is stored by key.
protocol TabledContext {
  /// Creates the context whose rows `table` has.
  init(_ table: ContextTable) throws(AnnalsError)

  /// Returns all rows of the context.
  func rows() throws -> [ContextTable.Row]
}
