internal import AnnalsCoding

extension Mapping {
  /// Returns one mapping that applies this mapping and then `next`.
  ///
  /// This mapping must refuse no value: otherwise values that it refuses would be accepted if `next` leaves
  /// them out.
  ///
  /// - Parameters:
  ///   - next: The second step.
  ///   - definitions: The definitions for `.call`. At most one of the two mappings calls.
  /// - Returns: `nil` if the two can only run one after the other.
  func followed(by next: Mapping, _ definitions: [Mapping]) -> Mapping? {
    func fused(_ first: Mapping, _ second: Mapping) -> Mapping? { first.followed(by: second, definitions) }
    switch (self, next) {
    case (_, .same): return self
    case (.same, _): return next
    case (_, .constant): return next
    case (.constant(let bytes), _):
      var output: [UInt8] = []
      do throws(CodingFailure) {
        try ConversionProgram(next, definitions).apply(bytes.span, to: &output)
      } catch {
        // The constant fits the shape between the two, so the second step refuses it at every place.
        return nil
      }
      return .constant(output)
    case (.field(let index, let count, let inner), _):
      return fused(inner, next).map { .field(index, of: count, $0) }
    case (_, .wrap(let inner)): return fused(self, inner).map { .wrap($0) }
    // The value inside may also be null, for example if a field is hoisted out of an optional record.
    case (.optional(let first), .optional): return fused(first, next).map { .optional($0) }
    case (.call(let number), _): return fused(definitions[number], next)
    case (_, .call(let number)): return fused(self, definitions[number])
    // A non-optional does not make null.
    case (_, .optional(let second)): return fused(self, second)
    case (.fields(_, let parts), .field(let index, _, let inner)):
      return parts.indices.contains(index) ? fused(parts[index], inner) : nil
    case (.fields(let count, _), .fields(_, let parts)):
      return Self.all(parts) { fused(self, $0) }.map { .fields(of: count, $0) }
    case (.wrap(let first), .list(let second)): return fused(first, second).map { .wrap($0) }
    case (.wrap(let first), .unwrap(let second)): return fused(first, second)
    case (.list(let first), .list(let second)): return fused(first, second).map { .list($0) }
    case (.map(let key, let value, let fromPairs, _), .map(let nextKey, let nextValue, _, let toPairs)):
      guard let key = fused(key, nextKey), let value = fused(value, nextValue) else { return nil }
      return .map(key: key, value: value, fromPairs: fromPairs, toPairs: toPairs)
    case (.choice(let first), .choice(let second)):
      return Self.all(first) { oneCase in
        guard let target = oneCase.target, second.indices.contains(target) else { return nil }
        let values = Mapping.fields(of: oneCase.count, oneCase.values)
        return Self.all(second[target].values) { fused(values, $0) }.map {
          CaseMapping(target: second[target].target, count: oneCase.count, values: $0)
        }
      }.map { .choice($0) }
    case (.scalar(.textToBytes), .scalar(.bytesToText)): return .same
    default: return nil
    }
  }

  private static func all<Part, Result>(_ parts: [Part], _ make: (Part) -> Result?) -> [Result]? {
    var results: [Result] = []
    for part in parts {
      guard let result = make(part) else { return nil }
      results.append(result)
    }
    return results
  }
}
