import Annals

extension EventLog {
  /// Opens the store at `path` for reading, or for an import, which creates a missing store.
  ///
  /// It checks the meta pages. If the command line or the verb requires it, every page has been checked
  /// before (``Verb/checksEveryPage``).
  init(at path: StorePath, access: StoreOptions.Access = .readOnly) throws(AnnalsError) {
    try self.init(
      at: path.url,
      options: StoreOptions(access: access, creation: access == .readOnly ? .never : .ifMissing))
  }
}
