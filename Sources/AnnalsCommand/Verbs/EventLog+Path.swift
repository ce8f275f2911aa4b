import Annals

extension EventLog {
  /// Opens the store at `path` for reading, or for an import, which creates it where it is missing. Whoever is handed a path
  /// knows nothing of where the file comes from, so that every page is checked first.
  init(at path: StorePath, access: StoreOptions.Access = .readOnly) throws(AnnalsError) {
    try self.init(
      at: path.url,
      options: StoreOptions(
        access: access, creation: access == .readOnly ? .never : .ifMissing, trust: .nobody))
  }
}
