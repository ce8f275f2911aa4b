public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The options for importing lines of JSON into a log.
public struct ImportOptions: Sendable {
  /// The key of a field in the lines, if it is not the field's own name.
  ///
  /// A key is the name of a member of the line's object, compared as UTF-8 bytes. It is not a path into inner
  /// objects.
  public var keys: [EntryField: String]
  /// The schema version of every line, regardless of what the line says; `nil` to take the line's own.
  public var version: SchemaVersion?
  /// A directory with the contents of the lines' attachments, in files named by their hashes; `nil` if the
  /// store has them already. The directory `blobs` of another store is such a directory.
  public var attachments: URL?
  /// The number of lines at the start of the input that are skipped unread, including empty lines. An input
  /// of fewer lines is refused.
  public var skip: Int
  /// Whether lines of stubs are left out: the remainders of removed and erased entries, and the records of
  /// changes of the log. The default is to refuse them.
  ///
  /// Without these entries, later ones get lower positions and revisions than in the exported log.
  public var skipsStubs = false

  /// Creates options for lines in the form of ``EntryLines``, from the first on.
  public init(keys: [EntryField: String] = [:], version: SchemaVersion? = nil, skip: Int = 0) {
    self.keys = keys
    self.version = version
    self.skip = skip
  }

  /// Returns the key of `field` in the lines.
  public func key(of field: EntryField) -> String {
    keys[field] ?? field.rawValue
  }
}

/// The progress of an import.
public struct ImportReport: Hashable, Sendable {
  /// The number of input lines that are done. To continue after them, import the same input and skip this
  /// number of lines.
  public internal(set) var lines: Int
  /// The number of entries that were stored.
  public internal(set) var stored: UInt64 = 0
  /// The number of lines with ids that were in the log already and were not stored again.
  public internal(set) var repeated: UInt64 = 0
  /// The number of lines of stubs that were left out.
  public internal(set) var stubs: UInt64 = 0

  init(lines: Int) {
    self.lines = lines
  }
}
