internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

extension Span where Element: ~Copyable {
  /// Calls `body` with one of the elements.
  ///
  /// If the compiler does not know an element's type, a span's subscript copies the element with everything
  /// it refers to. This method treats it as a noncopyable type instead.
  func lend<Context: ~Copyable & ~Escapable>(
    _ index: Int, with context: inout Context,
    _ body: (borrowing Element, inout Context) throws -> Void
  ) rethrows {
    try body(self[index], &context)
  }
}
