internal import AnnalsCoding

/// A conversion of one value between its form by shape and its form by name, in which an ``AnyValue`` is
/// stored.
struct NamedStep: Sendable {
  /// The shape of the record that the value is part of.
  let form: NamedForm
  /// The number of the value's type among the types of that shape.
  let type: Int32
  /// Whether the result is the form by name.
  let writesNames: Bool

  /// Appends the other form of `value`, which begins at `start` in its payload.
  func apply(_ value: Span<UInt8>, at start: Int, to output: inout [UInt8]) throws(CodingFailure) {
    do throws(CodingFailure) {
      if writesNames {
        try form.write(value, of: type, to: &output)
      } else {
        try form.read(value, of: type, to: &output)
      }
    } catch {
      throw error.moved(by: start, under: [])
    }
  }
}

extension NamedStep: Hashable {
  /// Returns whether the steps convert values of one type of one shape the same way.
  static func == (left: NamedStep, right: NamedStep) -> Bool {
    left.form.table === right.form.table && left.type == right.type && left.writesNames == right.writesNames
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(form.table))
    hasher.combine(type)
    hasher.combine(writesNames)
  }
}
