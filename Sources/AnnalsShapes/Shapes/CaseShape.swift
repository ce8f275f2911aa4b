package import AnnalsCoding

/// A case of an enum on disk.
public struct CaseShape: Sendable {
  /// The name on disk.
  public let name: String
  /// The associated values of the case, in their order.
  public let values: [FieldShape]
  /// Whether readers use this case for unknown cases. It does not affect the bytes.
  public let standsForUnknown: Bool

  /// Creates a case called `name`.
  public init(_ name: String, _ values: [FieldShape] = [], standsForUnknown: Bool = false) {
    self.name = name
    self.values = values
    self.standsForUnknown = standsForUnknown
  }

  /// Creates the case that `make` makes from values with these labels.
  ///
  /// - Parameters:
  ///   - name: The name on disk.
  ///   - labels: The labels of the values; `_0`, `_1` and so on for values without one.
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

extension RecordShape {
  /// The paths of the cases for unknown ones, sorted.
  package var unknownCases: [ExactText] {
    var paths: [ExactText] = []
    func add(_ shape: ValueShape, at path: String) {
      switch shape {
      case .optional(let inner), .list(let inner), .set(let inner): add(inner, at: path)
      case .map(let key, let value):
        add(key, at: path)
        add(value, at: path)
      case .record(let fields): for field in fields { add(field.shape, at: path.appending(field.name)) }
      case .choice(let cases):
        for oneCase in cases {
          let place = path.appending(oneCase.name)
          if oneCase.standsForUnknown { paths.append(ExactText(place)) }
          add(.record(oneCase.values), at: place)
        }
      default: break
      }
    }
    add(.record(fields), at: "")
    return paths.sorted()
  }

  /// Returns whether the names in `path` lead to a choice.
  package func hasChoice(_ path: String) -> Bool {
    var isFound = false
    func look(_ shape: ValueShape, at place: String) {
      switch shape {
      case .optional(let inner), .list(let inner), .set(let inner): look(inner, at: place)
      case .map(let key, let value):
        look(key, at: place)
        look(value, at: place)
      case .record(let fields): for field in fields { look(field.shape, at: place.appending(field.name)) }
      case .choice(let cases):
        if ExactText(place) == ExactText(path) { isFound = true }
        for oneCase in cases { look(.record(oneCase.values), at: place.appending(oneCase.name)) }
      default: break
      }
    }
    look(.record(fields), at: "")
    return isFound
  }
}

extension CaseShape: Hashable {
  /// Returns whether the cases are the same on disk.
  public static func == (left: CaseShape, right: CaseShape) -> Bool {
    ExactText(left.name) == ExactText(right.name) && left.values == right.values
  }

  /// Hashes the case's form on disk into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(name))
    hasher.combine(values)
  }
}
