internal import AnnalsCoding

/// A conversion of one value of a payload to another, as an expression that can be simplified and composed.
indirect enum Mapping: Hashable, Sendable {
  /// The value itself.
  case same
  /// These bytes, for any value.
  case constant([UInt8])
  /// Another scalar.
  case scalar(ScalarStep)
  /// The form by name of a value by shape, or the reverse.
  case named(NamedStep)
  /// An array with one element, the mapped value.
  case wrap(Mapping)
  /// The mapped only element of the array that the value is.
  case unwrap(Mapping)
  /// The mapping of one of the `of` fields of the record that the value is.
  case field(Int, of: Int, Mapping)
  /// A record of the results of the mappings for the value, which is a record of `of` fields.
  case fields(of: Int, [Mapping])
  /// Null if the value is null, otherwise the mapped value.
  case optional(Mapping)
  /// An array of the mapped elements.
  case list(Mapping)
  /// The same, sorted and without repetitions.
  case set(Mapping)
  /// A map of the mapped keys and values; each map is one of CBOR, or an array of pairs.
  case map(key: Mapping, value: Mapping, fromPairs: Bool, toPairs: Bool)
  /// The mapping of each case, by its number.
  case choice([CaseMapping])
  /// The result of the definition with this number for the value.
  case call(Int)

  /// The mapping of a case.
  struct CaseMapping: Hashable, Sendable {
    /// The number of the resulting case; `nil` if there is none, and its values are refused.
    let target: Int?
    /// The number of its values.
    let count: Int
    /// The mappings for the values of the resulting case, each a mapping of a record of the values.
    let values: [Mapping]
  }

  /// Returns the mappings that leave a record of `count` fields unchanged.
  static func identity(_ count: Int) -> [Mapping] {
    (0..<count).map { .field($0, of: count, .same) }
  }

  /// Returns the same mapping without parts that do nothing; `same` are the definitions that leave their
  /// values unchanged.
  func simplified(same: Set<Int>) -> Mapping {
    switch self {
    case .same, .constant, .scalar, .named: return self
    case .wrap(let inner): return .wrap(inner.simplified(same: same))
    case .unwrap(let inner): return .unwrap(inner.simplified(same: same))
    case .field(let index, let count, let inner):
      return .field(index, of: count, inner.simplified(same: same))
    case .fields(let count, let parts):
      let parts = parts.map { $0.simplified(same: same) }
      return parts == Self.identity(count) ? .same : .fields(of: count, parts)
    case .optional(let inner):
      let inner = inner.simplified(same: same)
      return inner == .same ? .same : .optional(inner)
    case .list(let inner):
      let inner = inner.simplified(same: same)
      return inner == .same ? .same : .list(inner)
    case .set(let inner):
      let inner = inner.simplified(same: same)
      return inner == .same ? .same : .set(inner)
    case .map(let key, let value, let fromPairs, let toPairs):
      let key = key.simplified(same: same)
      let value = value.simplified(same: same)
      guard key != .same || value != .same || fromPairs != toPairs else { return .same }
      return .map(key: key, value: value, fromPairs: fromPairs, toPairs: toPairs)
    case .choice(let cases):
      let cases = cases.map { oneCase in
        CaseMapping(
          target: oneCase.target, count: oneCase.count,
          values: oneCase.values.map { $0.simplified(same: same) })
      }
      let isSame = cases.enumerated().allSatisfy { number, oneCase in
        oneCase.target == number && oneCase.values == Self.identity(oneCase.count)
      }
      return isSame ? .same : .choice(cases)
    case .call(let number): return same.contains(number) ? .same : self
    }
  }

  /// Returns whether this or a mapping inside it satisfies `condition`.
  func contains(_ condition: (Mapping) -> Bool) -> Bool {
    guard !condition(self) else { return true }
    switch self {
    case .same, .constant, .scalar, .named, .call: return false
    case .wrap(let inner), .unwrap(let inner), .field(_, _, let inner), .optional(let inner),
      .list(let inner),
      .set(let inner):
      return inner.contains(condition)
    case .fields(_, let parts): return parts.contains { $0.contains(condition) }
    case .map(let key, let value, _, _): return key.contains(condition) || value.contains(condition)
    case .choice(let cases): return cases.contains { $0.values.contains { $0.contains(condition) } }
    }
  }

  /// Whether it refuses some values of its shape, not counting mappings inside it.
  var isPartial: Bool {
    switch self {
    case .scalar(let step): step.isPartial
    case .unwrap, .set, .named: true
    case .map(let key, _, _, _): key != .same
    case .choice(let cases): cases.contains { $0.target == nil }
    default: false
    }
  }
}
