extension Span where Element: ~Copyable {
  /// Lends one of the elements to `body`.
  ///
  /// Where an element's type is not known to the compiler, what a span's subscript gives is copied, with all that it refers to; here it is taken for one that cannot be.
  func lend<Context: ~Copyable & ~Escapable>(
    _ index: Int, with context: inout Context,
    _ body: (borrowing Element, inout Context) throws -> Void
  ) rethrows {
    try body(self[index], &context)
  }
}
