public import AnnalsCoding

/// How lines of JSON are taken into a log.
public struct ImportOptions: Sendable {
  /// The key under which the lines keep a field, where it is not the field's own name.
  ///
  /// A key is the name of a member of the line's object, compared as UTF-8 bytes; it is no path into inner objects.
  public var keys: [EntryField: String]
  /// The schema version of every line, whatever the line says; `nil` to take the line's own.
  public var version: SchemaVersion?
  /// How many lines at the start of the input are passed over unread, lines without content included.
  public var skip: Int

  /// Lines as ``EntryLines`` gives them, from the first on.
  public init(keys: [EntryField: String] = [:], version: SchemaVersion? = nil, skip: Int = 0) {
    self.keys = keys
    self.version = version
    self.skip = skip
  }

  /// The key under which the lines keep `field`.
  public func key(of field: EntryField) -> String {
    keys[field] ?? field.rawValue
  }
}

/// How far an import has come.
public struct ImportReport: Hashable, Sendable {
  /// How many lines of the input are done with: an import of the same input that skips as many goes on behind them.
  public internal(set) var lines: Int
  /// How many entries were stored.
  public internal(set) var stored: UInt64 = 0
  /// How many lines had an id and were in the log already, so that they were not stored again.
  public internal(set) var repeated: UInt64 = 0

  init(lines: Int) {
    self.lines = lines
  }
}
