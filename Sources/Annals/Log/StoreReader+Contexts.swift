internal import LMDB

extension StoreReader {
  /// The name of the row of `meta` that keeps the context of the stage to `version`.
  static func contextName(_ version: SchemaVersion) -> String { "context \(version)" }

  /// The name of the row of `meta` that keeps the version which events without one were taken for.
  static let adoptedName = "adopted"

  /// The version which events without one were taken for; `nil` where they were not.
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
  static let oldestName = "oldest"

  /// The oldest version of the plan of the last migration pass; `nil` before the first one.
  func oldest() throws(AnnalsError) -> SchemaVersion? {
    try row(Self.oldestName, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let version = try reader.schemaVersion()
      try reader.finish()
      return version
    } ?? nil
  }

  /// Rows of `meta` about versions, which every generation takes over as they are.
  func frozenFacts() throws(AnnalsError) -> [(name: String, value: [UInt8])] {
    var facts: [(name: String, value: [UInt8])] = []
    var names = [Self.adoptedName, Self.oldestName]
    var cursor: Cursor
    do { cursor = try view.cursor(in: tables.meta) } catch { throw AnnalsError(error) }
    while let row = try cursor.nextRow() {
      let name = String(decoding: row.key.copied, as: UTF8.self)
      if name.utf8.starts(with: "context ".utf8) { names.append(name) }
    }
    for name in names {
      let value = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
      if let value { facts.append((name, value)) }
    }
    return facts
  }

  /// How many rows lead to the streams.
  func rowsOfHeads() throws(AnnalsError) -> Int {
    try statistics(of: tables.streams).entries + statistics(of: tables.heads).entries
  }

  /// The context of the stage to `version`, as bytes; `nil` where it has not been worked out.
  func context(of version: SchemaVersion) throws(AnnalsError) -> [UInt8]? {
    try row(Self.contextName(version), in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
  }
}
