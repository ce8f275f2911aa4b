package import AnnalsCoding

extension AnnalsError {
  /// Creates the error for an event that a projection could not fold.
  package init(_ cause: any Error, folding position: Position, of stream: StreamName, in projection: String) {
    if let error = cause as? AnnalsError, error.code == .damaged || error.code == .inputOutput {
      self = error
      return
    }
    self.init(
      .ruleFailed,
      "position \(position), stream '\(stream)': the projection '\(projection)' cannot fold the event: \(cause)",
      details: Details {
        $0.position = position
        $0.stream = stream
      }, underlying: cause)
  }
}
