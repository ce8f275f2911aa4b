#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SchemaMigrationPlan {
  /// Says whether the plan opens the store at `store`, what it would do on the way, and which of its old versions the store still needs.
  ///
  /// Nothing is changed, and nobody is trusted with the file: the pages of the tables that are read are checked first.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, or for a store that cannot be read at all.
  /// - Complexity: O(kinds of records · stages), whatever the length of the log.
  public static func check(store: URL) throws(AnnalsError) -> StoreCheck {
    let compiled = try CompiledPlan(Self.self)
    var options = StoreOptions(access: .readOnly, creation: .never, trust: .nobody)
    options.scope = StoreTables.small
    return try EventLog(at: store, options: options).read { (snapshot) throws(AnnalsError) in
      try StoreCheck(Self.self, compiled, snapshot)
    }
  }
}
