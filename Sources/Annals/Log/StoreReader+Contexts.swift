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

  /// The context of the stage to `version`, as bytes; `nil` where it has not been worked out.
  func context(of version: SchemaVersion) throws(AnnalsError) -> [UInt8]? {
    try row(Self.contextName(version), in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
  }
}
