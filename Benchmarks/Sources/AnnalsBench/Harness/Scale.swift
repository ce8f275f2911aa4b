/// How much work the scenarios do.
enum Scale: String, CaseIterable, Sendable {
  /// All of them in about two minutes.
  case modest
  /// What the documented figures are measured with.
  case full
}
