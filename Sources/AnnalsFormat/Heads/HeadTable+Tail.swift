extension HeadTable {
  /// How many entries ahead the place of a stream in the index is loaded.
  private static let indexAhead = 16
  /// How many entries ahead the head of a stream is loaded, once its place in the index is there.
  private static let slotAhead = 8

  /// Adds committed entries in the order of their positions; those that are known already change nothing.
  ///
  /// - Returns: The first that is not its stream's next one, as far as that is known; `nil` if all are. It is
  ///   not added, and neither is any after it.
  package mutating func take(_ facts: [TailFact]) -> TailFact? {
    for index in facts.indices {
      // The heads of many streams are not in the processor's caches, and an entry would wait for two of them.
      if index + Self.indexAhead < facts.count {
        slots.prefetchIndex(id: facts[index + Self.indexAhead].stream)
      }
      if index + Self.slotAhead < facts.count {
        slots.prefetchSlot(id: facts[index + Self.slotAhead].stream)
      }
      guard take(facts[index]) else { return facts[index] }
    }
    return nil
  }
}
