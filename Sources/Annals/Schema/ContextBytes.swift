/// The contexts of stages as a store keeps them, by the version that the stage leads to.
struct ContextBytes: Sendable {
  /// What is there.
  var byVersion: [SchemaVersion: [UInt8]] = [:]

  /// The context of the stage to `version`; `nil` where it has not been worked out yet.
  func context<Context: Decodable>(
    of version: SchemaVersion, as type: Context.Type
  ) throws(AnnalsError) -> Context? {
    guard let bytes = byVersion[version] else { return nil }
    do { return try PayloadDecoder.decode(type, from: bytes) } catch {
      throw AnnalsError(
        .shapeChanged,
        "the context of the stage to version \(version) was stored as another type: \(error); give the type back the properties it had when the stage was activated",
        details: AnnalsError.Details { $0.version = version }, underlying: error)
    }
  }
}
