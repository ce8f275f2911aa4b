public import Annals

/// Checks that a projection produces the same rows however it is folded.
///
/// ```swift
/// @Test func `the roster is the same however it is folded`() throws {
///   try ProjectionLaws.check(Roster.self, in: store)
/// }
/// ```
public enum ProjectionLaws {
  /// Checks that a rebuild in one piece, folds in batches of any size, and a second rebuild agree.
  ///
  /// All must produce the same rows and the same entries of secondary keys. Violations come from a clock, a
  /// random source, the order of a `Set`, or state that ``Projection/apply(_:to:)`` keeps outside its rows.
  ///
  /// - Parameters:
  ///   - projection: The projection.
  ///   - store: The source of the events, each upcast as the store delivers it.
  ///   - seed: The seed for the random sizes of batches.
  /// - Throws: ``LawFailure`` with the sizes that lead to a different result, and ``AnnalsError`` with the
  ///   error of the fold.
  /// - Complexity: Five folds of the whole store, in memory and in temporary files.
  public static func check<P: Projection, Plan: SchemaMigrationPlan>(
    _ projection: P.Type, in store: EventStore<Plan>, seed: UInt64 = 1
  ) throws where P.Event == Plan.Current.Event {
    let entries = try store.read { (snapshot) throws(AnnalsError) in
      var all: [Entry<P.Event>] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() { all.append(entry) }
      return all
    }
    try check(projection, on: entries, seed: seed)
  }

  /// Checks that the projection produces the same rows from these entries however they are folded.
  ///
  /// - Throws: As the other form.
  public static func check<P: Projection>(
    _ projection: P.Type, on entries: [Entry<P.Event>], seed: UInt64 = 1
  ) throws {
    let whole = try content(projection, entries, sizes: [max(entries.count, 1)])
    var generator = SplitMix64(state: seed)
    // First the second rebuild in one piece.
    for most in [nil, 1, 3, 50] as [Int?] {
      var sizes: [Int] = []
      if let most {
        var sum = 0
        while sum < entries.count {
          sizes.append(Int.random(in: 1...most, using: &generator))
          sum += sizes[sizes.count - 1]
        }
      } else {
        sizes = [max(entries.count, 1)]
      }
      let other = try content(projection, entries, sizes: sizes)
      guard other.count == whole.count,
        zip(other, whole).allSatisfy({ $0.key == $1.key && $0.value == $1.value })
      else {
        let way = most.map { "in batches of up to \($0) entries (seed \(seed))" } ?? "a second time"
        throw LawFailure(
          "the projection \(projection) has other rows when it folds \(way) than when it folds all at once")
      }
    }
  }

  private static func content<P: Projection>(
    _ projection: P.Type, _ entries: [Entry<P.Event>], sizes: [Int]
  ) throws -> [(key: [UInt8], value: [UInt8])] {
    let trial = try ProjectionTrial<P>()
    var start = 0
    for size in sizes where start < entries.count {
      var end = min(start + size, entries.count)
      // The parts of a split are folded together.
      while end < entries.count, entries[end].position == entries[end - 1].position { end += 1 }
      try trial.fold(Array(entries[start..<end]))
      start = end
    }
    return try trial.content()
  }
}
