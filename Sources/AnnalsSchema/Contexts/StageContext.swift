internal import AnnalsCoding

/// What a stage works out once from the whole older log, for its rules to use: it is frozen and kept in the store.
///
/// Any type that is `Codable` and `Sendable` can be one; it is stored by name.
public typealias StageContext = Codable & Sendable

/// A rule needs its stage's context, which has not been worked out in this store yet.
public struct ContextMissing: Error, Sendable {
  @usableFromInline init() {}
}

/// The context, or why a rule cannot run.
@inlinable func expect<Context>(_ context: Context?) throws -> Context {
  guard let context else { throw ContextMissing() }
  return context
}

/// The context of a stage that has none.
public struct NoContext: Codable, Sendable {}
