package import AnnalsCoding

/// Access to the entries of a stream before an entry, from which folds gather their groups.
package protocol StreamPast: AnyObject, Sendable {
  /// Delivers the entries of a stream that can become a record of the group, at an earlier version, entry by
  /// entry, newest first.
  ///
  /// It begins with the entry of `origin` if that was split, and with the entry before it otherwise.
  ///
  /// - Parameters:
  ///   - origin: The origin of the entry to begin at.
  ///   - first: The revision at which it ends.
  ///   - version: The version to which the stage leads; the stage's older version is delivered.
  ///   - room: The buffer for the events of an entry.
  ///   - goesOn: Returns whether to continue; called after each entry.
  /// - Throws: ``AnnalsError``, as a read of the entries.
  func walk(
    back origin: Origin, to first: Revision, before version: SchemaVersion, into room: GroupBuffer,
    _ goesOn: () -> Bool
  ) throws(AnnalsError)
}
