internal import AnnalsCoding

/// The cases of an event that a fold takes.
@usableFromInline package struct FoldedCases: Equatable, Sendable {
  private let isTaken: [Bool]

  /// The numbers of the cases.
  package var indices: Set<Int> { Set(isTaken.indices.filter { isTaken[$0] }) }

  /// Creates the set of the cases numbered `indices`, of `count`.
  @usableFromInline init(_ indices: [Int?], of count: Int) {
    var isTaken = [Bool](repeating: false, count: count)
    for index in indices.compactMap(\.self) where isTaken.indices.contains(index) { isTaken[index] = true }
    self.isTaken = isTaken
  }

  /// Returns whether the fold takes the case numbered `index`.
  @usableFromInline func contains(_ index: Int) -> Bool {
    isTaken.indices.contains(index) && isTaken[index]
  }
}
