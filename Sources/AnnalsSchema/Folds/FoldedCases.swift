internal import AnnalsCoding

/// Which cases of an event a fold takes.
@usableFromInline package struct FoldedCases: Equatable, Sendable {
  private let isTaken: [Bool]

  /// The numbers of the cases.
  package var indices: Set<Int> { Set(isTaken.indices.filter { isTaken[$0] }) }

  /// The cases numbered `indices`, of `count`.
  @usableFromInline init(_ indices: [Int?], of count: Int) {
    var isTaken = [Bool](repeating: false, count: count)
    for index in indices.compactMap(\.self) where isTaken.indices.contains(index) { isTaken[index] = true }
    self.isTaken = isTaken
  }

  /// Whether the case numbered `index` is taken.
  @usableFromInline func contains(_ index: Int) -> Bool {
    isTaken.indices.contains(index) && isTaken[index]
  }
}
