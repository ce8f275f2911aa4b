extension RolloutPhase {
  /// The phase in a sentence.
  package var words: String {
    switch self {
    case .absent: "not stored yet"
    case .present: "stored"
    case .expanding: "expanding: older programs still append"
    case .active: "active"
    case .contracted: "contracted: older versions are given up"
    }
  }
}
