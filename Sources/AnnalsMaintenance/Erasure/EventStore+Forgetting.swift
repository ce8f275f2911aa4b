public import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Forgets a person: drops the keys of `subject`, so that no program decrypts their personal fields again.
  ///
  /// When it returns, no file of the store has the bytes of the keys, and no read that begins later returns
  /// the fields, in any process. Typed reads return the declared replacements. Views are built again, inline
  /// projections are folded again, and snapshots of aggregates are removed. Events stay, with all fields that
  /// are not personal.
  ///
  /// Rows of inline projections may remain in free pages of the log's file, and in backups; contexts of
  /// stages keep results of the values. ``EventLog/erasures()`` lists these places.
  ///
  /// If the process is killed meanwhile, the key is either whole or gone. Repeat the call: it does
  /// the rest.
  ///
  /// - Parameters:
  ///   - subject: The id of the person, as in the field that `@Field(personal:)` names.
  ///   - author: The person that asked; recorded in the log.
  ///   - reason: Why; recorded in the log. The id of the subject is not recorded.
  /// - Returns: The position of the system entry that records it.
  /// - Throws: ``AnnalsError`` with code `keyMissing` in a store without keys or without their file,
  ///   `wrongUse` without an author or a reason, `busy` while a migration pass runs, and as `append` throws.
  /// - Complexity: O(subjects) to write the file of keys again, and the time to build views again.
  @discardableResult
  public func forget(
    _ subject: some TagValue, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    guard let keys = log.options.keys else {
      throw AnnalsError.noKeys("the store has no keys to drop")
    }
    let subject = subject.tagText
    return try Erasing(log, author: author, reason: reason, rules: rules).forget { () throws(AnnalsError) in
      try keys.drop(subject)
    }
  }
}
