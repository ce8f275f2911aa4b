import Annals

extension EventLog {
  /// Opens the store at `path` for reading, or for an import, which creates it where it is missing.
  ///
  /// Its meta pages are checked. Every page is where the command line or the verb says so, before this
  /// (``Verb/checksEveryPage``).
  init(at path: StorePath, access: StoreOptions.Access = .readOnly) throws(AnnalsError) {
    try self.init(
      at: path.url,
      options: StoreOptions(access: access, creation: access == .readOnly ? .never : .ifMissing))
  }
}
