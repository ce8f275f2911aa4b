public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
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
  /// If the process is killed meanwhile, the key is either whole or gone. If it is gone, the next open of the
  /// store with keys completes the removal and records this call, and so does a repeated call.
  ///
  /// - Parameters:
  ///   - subject: The id of the person, as in the field that `@Field(personal:)` names: of its type, or as
  ///     its text (``TagValue/tagText``). The text of a `UUID` is in lowercase, unlike `uuidString`.
  ///   - author: The person who asked; recorded in the log.
  ///   - reason: Why; recorded in the log. The id of the subject is not recorded.
  /// - Returns: The position of the system entry that records it, and whether the person had keys. If it had
  ///   no keys, nobody is forgotten in stored events, and later events of the id are refused.
  /// - Throws: ``AnnalsError`` with code `keyMissing` in a store without keys or without their file,
  ///   `wrongUse` without an author or a reason, `busy` while a migration pass runs, `appendsSuspended` while
  ///   a switch is held, and the errors of `append`, whose message says if the keys are dropped by then.
  ///   `rejected` or `ruleFailed` with a position if an inline projection does not accept the replacements in
  ///   an event. The keys are dropped then, and appends fail until a higher version of the projection that
  ///   accepts them is activated.
  /// - Complexity: O(subjects) to write the file of keys again, and the time to build views again.
  @discardableResult
  public func forget(
    _ subject: some TagValue, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    guard let keys = log.options.keys else {
      throw AnnalsError.noKeys("the store has no keys to drop")
    }
    let subject = subject.tagText
    return try Erasing(log, author: author, reason: reason, rules: rules).forget(subject, in: keys)
  }

  /// Completes the erasures and the removals of keys that a killed process has left: erases the rest, clears
  /// the results of the values, and records the removals.
  ///
  /// A store that cannot do so now leaves it to the next open: one without an inline projection that is in
  /// force, one that takes no appends, or one in which a pass or another such removal is at work.
  package func finishRemovals() throws(AnnalsError) {
    guard log.options.access == .readWrite else { return }
    do throws(AnnalsError) {
      try finishErasures()
      try finishForgetting()
    } catch {
      let later: [AnnalsError.Code] = [
        .busy, .needsPlan, .superseded, .requiresActivation, .appendsSuspended, .diskFull,
      ]
      guard later.contains(error.code) else { throw error }
    }
  }

  private func finishErasures() throws(AnnalsError) {
    guard log.options.sequencer == nil else { return }
    let row = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.unfinishedErasure() }
    guard let row else { return }
    try Erasing(log, author: row.author, reason: row.reason, rules: rules).finish()
  }

  private func finishForgetting() throws(AnnalsError) {
    guard let keys = log.options.keys else { return }
    var first = try keys.unrecordedDrops().first
    if first == nil { first = try log.lackedDrop(of: keys) }
    guard let first else { return }
    try Erasing(log, author: first.author, reason: first.reason, rules: rules).finishForgetting(in: keys)
  }
}

extension EventLog {
  /// Forgets a person, as ``EventStore/forget(_:by:because:)`` does, in a log without inline projections.
  ///
  /// - Parameters:
  ///   - subject: The id of the person, as in the field that `@Field(personal:)` names: of its type, or as
  ///     its text (``TagValue/tagText``). The text of a `UUID` is in lowercase, unlike `uuidString`.
  ///   - author: The person who asked; recorded in the log.
  ///   - reason: Why; recorded in the log. The id of the subject is not recorded.
  /// - Returns: The position of the system entry that records it, and whether the person had keys. If it had
  ///   no keys, nobody is forgotten in stored events, and later events of the id are refused.
  /// - Throws: ``AnnalsError`` with code `needsPlan` if an inline projection is in force, and as
  ///   ``EventStore/forget(_:by:because:)``.
  /// - Complexity: As ``EventStore/forget(_:by:because:)``.
  @discardableResult
  public func forget(
    _ subject: some TagValue, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    guard let keys = options.keys else { throw AnnalsError.noKeys("the log was opened without keys to drop") }
    try attachKeys(for: "the log")
    return try Erasing(self, author: author, reason: reason).forget(subject.tagText, in: keys)
  }
}
