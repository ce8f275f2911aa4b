public import AnnalsCoding
internal import AnnalsLog
public import AnnalsSchema
internal import AnnalsStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SchemaMigrationPlan {
  /// Checks whether the plan opens the store at `store`, what the open would do, and which old versions the
  /// store still needs.
  ///
  /// Nothing is changed, and the file is not trusted: the pages of the small tables are checked first. A scan
  /// reads entries as every open does, so no writer waits, and compares the checksum of each.
  ///
  /// - Parameters:
  ///   - store: The store's directory.
  ///   - isScanning: Whether the log is read for fields that the plan does not declare; see
  ///     ``StoreCheck/undeclared``.
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, or for a store that cannot be read at all.
  /// - Complexity: O(kinds of records · stages), regardless of the length of the log. With a scan, O(log) if
  ///   the store has payloads by name that a pass would rewrite.
  public static func check(store: URL, scanning isScanning: Bool = false) throws(AnnalsError) -> StoreCheck {
    let compiled = try CompiledPlan(Self.self)
    var options = StoreOptions(access: .readOnly, creation: .never, trust: .nobody)
    options.scope = StoreTables.small
    let log = try EventLog(at: store, options: options)
    var check = try log.read { (snapshot) throws(AnnalsError) in
      try StoreCheck(Self.self, compiled, snapshot)
    }
    if isScanning { check.undeclared = try UndeclaredScan(log: log, plan: compiled).run().undeclared }
    return check
  }
}
