internal import AnnalsCoding

extension RecordShape {
  /// The shape as one line; equal shapes have equal texts, and different shapes different ones.
  ///
  /// A record is `(title: text, kilograms(weight): double, notes: text?)`, where `weight` is the field's name
  /// in the previous version. `name: personal(id) text` is encrypted with the key of the person in `id`. A
  /// choice is `<warmup | weight(kg: double)>`, a list `[text]`, a set `{text}`, a
  /// map `[date: int64]`, and `^1` the record or choice one level further out than the innermost.
  ///
  /// - Complexity: O(parts of the shape).
  public var text: String {
    var writer = ShapeText()
    writer.fields(fields)
    return writer.text
  }

  /// Creates the shape from its text.
  ///
  /// - Throws: ``ShapeFailure`` if the text is not exactly the ``text`` of some shape, or exceeds a limit.
  package init(parsing text: String) throws(ShapeFailure) {
    let bytes = [UInt8](text.utf8)
    var parser = ShapeParser(bytes.span)
    fields = try parser.shape()
    // Each shape has one canonical text: another text with the same meaning would have another fingerprint.
    let canonical = [UInt8](self.text.utf8)
    guard canonical == bytes else {
      let place = zip(canonical, bytes).prefix { $0 == $1 }
      throw ShapeFailure(reason: .notCanonical, offset: place.reduce(0) { count, _ in count + 1 })
    }
  }

  /// The SHA-256 of the text's UTF-8, 32 bytes.
  package var fingerprint: [UInt8] { SHA256.hash(text.utf8) }
}
