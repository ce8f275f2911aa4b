/// How much work the scenarios do.
enum Scale: String, CaseIterable, Sendable {
  /// All of them in less than a minute.
  case modest
  /// What the documented figures are measured with.
  case full
}
