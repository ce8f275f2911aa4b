extension Metadata {
  /// The keys and values of a map; `nil` where `map` is none, or has a key that is not text or stands twice.
  ///
  /// - Complexity: O(n log n) in the number of pairs.
  public init?(_ map: CBOR) {
    guard case .map(let pairs) = map else { return nil }
    for pair in pairs {
      guard case .text(let key) = pair.key else { return nil }
      self[key] = pair.value
    }
    guard count == pairs.count else { return nil }
  }

  /// The map of the same keys and values.
  public var cbor: CBOR { .map(elements.map { CBOR.Pair(.text($0.key), $0.value) }) }
}
