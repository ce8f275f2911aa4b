extension Metadata {
  /// Creates metadata from a map; `nil` if `map` is not a map, or has a key that is not text or is a
  /// duplicate.
  ///
  /// - Complexity: O(n log n) in the number of pairs.
  public init?(_ map: CBOR) {
    guard case .map(let pairs) = map else { return nil }
    var sorted: [Element] = []
    for pair in pairs {
      guard case .text(let key) = pair.key else { return nil }
      sorted.append((key, pair.value))
    }
    sorted.sort { ExactText($0.key) < ExactText($1.key) }
    for (left, right) in zip(sorted, sorted.dropFirst()) where ExactText(left.key) == ExactText(right.key) {
      return nil
    }
    self.init(sorted: sorted)
  }

  /// The same keys and values as a map.
  public var cbor: CBOR { .map(elements.map { CBOR.Pair(.text($0.key), $0.value) }) }
}
