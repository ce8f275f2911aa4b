package import AnnalsCoding

/// The way back through a stream to what stands before an entry: what folds gather their groups from.
package protocol StreamPast: AnyObject, Sendable {
  /// Delivers what entries of a stream that can become a record of the group are at an earlier version, entry
  /// by entry, newest first.
  ///
  /// It begins with the entry of `origin` where that was split, and with the one before it otherwise.
  ///
  /// - Parameters:
  ///   - origin: What is known of the entry to begin at.
  ///   - first: The revision at which it ends.
  ///   - version: The version to which the stage leads whose older version is delivered.
  ///   - room: Takes the events of an entry.
  ///   - goesOn: Asked after each entry.
  /// - Throws: ``AnnalsError``: what a read of the entries throws.
  func walk(
    back origin: Origin, to first: Revision, before version: SchemaVersion, into room: GroupSink,
    _ goesOn: () -> Bool
  ) throws(AnnalsError)
}
