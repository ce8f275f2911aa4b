package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

extension StoreReader {
  /// The name of the row of `meta` that keeps the context of the stage to `version`.
  package static func contextName(_ version: SchemaVersion) -> String { "context \(version)" }

  /// The name of the row of `meta` that keeps the adopted version.
  package static let adoptedName = "adopted"

  /// Returns the version that events without one were adopted as; `nil` before an adoption.
  func adopted() throws(AnnalsError) -> SchemaVersion? {
    try row(Self.adoptedName, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let version = try reader.schemaVersion()
      try reader.finish()
      guard let version else { throw FormatFailure(.value, at: 0) }
      return version
    }
  }

  /// The name of the row of `meta` that keeps the version which the plan of the last migration pass began at.
  package static let oldestName = "oldest"

  /// The oldest version of the plan of the last migration pass; `nil` before the first one.
  package func oldest() throws(AnnalsError) -> SchemaVersion? {
    try row(Self.oldestName, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let version = try reader.schemaVersion()
      try reader.finish()
      return version
    } ?? nil
  }

  /// The name of the row of `meta` that says which generations had contexts when some were removed in place.
  package static let contextsRemovedName = "contextsRemoved"

  /// The newest generation that there was when contexts were last removed in place: its file and earlier ones
  /// may have their bytes; 0 if none were.
  package func contextsRemoved() throws(AnnalsError) -> UInt64 {
    try row(Self.contextsRemovedName, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let generation = try reader.number(in: FormatRange.generations)
      try reader.finish()
      return generation
    } ?? 0
  }

  /// Returns the rows of `meta` about versions, which every generation takes over unchanged.
  package func frozenFacts() throws(AnnalsError) -> [(name: String, value: [UInt8])] {
    var facts: [(name: String, value: [UInt8])] = []
    var names = [
      Self.adoptedName, Self.oldestName, RegroupedRow.name, GenerationRow.altered, Self.contextsRemovedName,
      ErasingRow.name,
    ]
    let prefixes = ["context ", BackupRow.prefix, BackupRow.generationPrefix]
    for prefix in prefixes + ContextTableRow.Use.allCases.map({ $0.rawValue + " " }) {
      try eachMetaName(beginningWith: prefix) { names.append($0) }
    }
    for name in names {
      let value = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
      if let value { facts.append((name, value)) }
    }
    return facts
  }

  /// Returns the number of rows that lead to the streams.
  package func rowsOfHeads() throws(AnnalsError) -> Int {
    try statistics(of: tables.streams).entries + statistics(of: tables.heads).entries
  }

  /// The context of the stage to `version`, as bytes; `nil` if it has not been computed.
  package func context(of version: SchemaVersion) throws(AnnalsError) -> [UInt8]? {
    try row(Self.contextName(version), in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
  }

  /// Where a table of the stage to `version` is; `nil` if it has not been computed.
  package func table(
    _ use: ContextTableRow.Use, of version: SchemaVersion
  ) throws(AnnalsError) -> ContextTableRow? {
    try row(ContextTableRow.name(use, of: version), in: tables.meta) {
      (bytes) throws(FormatFailure) in try ContextTableRow(bytes)
    }
  }

  /// All tables that stages have.
  package func contextTables() throws(AnnalsError) -> [ContextTableRow] {
    var names: [String] = []
    for use in ContextTableRow.Use.allCases {
      try eachMetaName(beginningWith: use.rawValue + " ") { names.append($0) }
    }
    var found: [ContextTableRow] = []
    for name in names {
      let row = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in try ContextTableRow(bytes) }
      if let row { found.append(row) }
    }
    return found
  }

  /// The chunk of `table` numbered `index`, whose absence is damage.
  package func chunk(_ index: Int, of table: ContextTableRow) throws(AnnalsError) -> [UInt8] {
    try chunk(called: table.chunkName(index))
  }

  /// The chunk in the row of this name, whose absence is damage.
  package func chunk(called name: String) throws(AnnalsError) -> [UInt8] {
    let chunk = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
    guard let chunk else { throw AnnalsError(missingMeta: name) }
    return chunk
  }

  /// The names of all rows that have chunks of tables, in their order.
  package func chunkNames() throws(AnnalsError) -> [String] {
    var names: [String] = []
    try eachMetaName(beginningWith: ContextTableRow.chunkPrefix) { names.append($0) }
    return names
  }

  /// The names of all rows of `meta` that begin with `prefix`, in their order.
  package func metaNames(beginningWith prefix: String) throws(AnnalsError) -> [String] {
    var names: [String] = []
    try eachMetaName(beginningWith: prefix) { names.append($0) }
    return names
  }

  /// Passes the name of each row of `meta` that begins with `prefix` to `body`, in their order.
  ///
  /// - Parameter first: The name from which on; `nil` for all with the prefix.
  package func eachMetaName(
    beginningWith prefix: String, from first: String? = nil, _ body: (String) -> Void
  ) throws(AnnalsError) {
    let (start, prefix) = (Array((first ?? prefix).utf8), Array(prefix.utf8))
    do throws(EnvironmentError) {
      var cursor = try view.cursor(in: tables.meta)
      var found = try cursor.seek(start.span)
      while let row = found {
        let key = row.key.copied
        guard key.starts(with: prefix) else { return }
        body(String(decoding: key, as: UTF8.self))
        found = try cursor.next()
      }
    } catch {
      throw AnnalsError(error)
    }
  }
}
