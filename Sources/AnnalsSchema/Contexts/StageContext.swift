internal import AnnalsCoding

/// A value that a stage computes once from the whole older log for its rules. It is frozen and kept in the
/// store.
///
/// Any type that is `Codable` and `Sendable` can be a context; it is stored by name.
public typealias StageContext = Codable & Sendable

/// The error for a rule that needs its stage's context before it has been computed in this store.
public struct ContextMissing: Error, Sendable {
  @usableFromInline init() {}
}

/// Returns the context, or throws the reason why a rule cannot run.
@inlinable func expect<Context>(_ context: Context?) throws -> Context {
  guard let context else { throw ContextMissing() }
  return context
}

/// The context of a stage that has none.
public struct NoContext: Codable, Sendable {}
