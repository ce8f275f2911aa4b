extension Sequence where Element: AdditiveArithmetic {
  /// Returns the sum of the elements. Within an expectation the compiler takes half a second to find the `+`
  /// of `reduce(0, +)`.
  package func sum() -> Element {
    reduce(.zero, +)
  }
}
