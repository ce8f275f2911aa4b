extension AnnalsError {
  /// Creates the error for bytes that do not have the expected layout.
  ///
  /// - Parameters:
  ///   - place: The place of the bytes, as text: "position 7" or "table 'heads', key 3".
  package init(_ failure: FormatFailure, place: String, position: Position? = nil, table: String? = nil) {
    var details = Details()
    details.position = position
    details.table = table
    details.offset = failure.offset
    details.place = place
    let (code, advice): (Code, String) =
      switch failure.reason {
      case .laterFormat: (.formatVersion, "this library reads format \(LayoutFormat.newest); use a newer one")
      case .unknownFeature: (.needsNewer, "use a newer version of this library")
      default: (.damaged, "run 'annals verify' and restore from a backup")
      }
    self.init(code, "\(place): \(failure); \(advice)", details: details, underlying: failure)
  }
}
