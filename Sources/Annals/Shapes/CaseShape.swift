/// A case of an enum on disk.
public struct CaseShape: Sendable {
  /// The name on disk.
  public let name: String
  /// The values that the case holds, in their order.
  public let values: [FieldShape]
  /// Whether a reader takes this case for cases that it does not know. It says nothing of the bytes.
  public let standsForUnknown: Bool

  /// A case called `name`.
  public init(_ name: String, _ values: [FieldShape] = [], standsForUnknown: Bool = false) {
    self.name = name
    self.values = values
    self.standsForUnknown = standsForUnknown
  }

  /// The case that `make` makes of values, which have these labels.
  ///
  /// - Parameters:
  ///   - name: The name on disk.
  ///   - labels: The labels of the values; `_0`, `_1` and so on for those without.
  ///   - make: The case as a function; only its type matters.
  ///   - types: The types that are being described.
  public init<Choice, each Value: StoredValue>(
    _ name: String, _ labels: [String], _ make: (repeat each Value) -> Choice, in types: inout ShapeTypes
  ) {
    self.name = name
    standsForUnknown = false
    var shapes: [ValueShape] = []
    for shape in repeat (each Value).shape(in: &types) { shapes.append(shape) }
    values = zip(labels, shapes).map { FieldShape($0, $1) }
  }
}

extension CaseShape: Hashable {
  /// Whether the cases are the same on disk.
  public static func == (left: CaseShape, right: CaseShape) -> Bool {
    ExactText(left.name) == ExactText(right.name) && left.values == right.values
  }

  /// Feeds what the case is on disk to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(name))
    hasher.combine(values)
  }
}
