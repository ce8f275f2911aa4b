internal import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog
package import AnnalsSchema

extension CompiledPlan {
  /// The number of the stage that retains entries of `kind` as they are stored; `nil` if none does.
  ///
  /// - Complexity: O(1), and O(fields) for a draft.
  package func retaining(_ kind: KindRegistry.Kind, in kinds: KindRegistry) -> Int? {
    guard retainsRecords else { return nil }
    let entrance = try? entrance(of: kinds.recordKind(kind), unversioned: kinds.adopted ?? adopted)
    return entrance.flatMap { steps[$0.step].retainedBy }
  }

  /// How many events of each kind `census` has that the plan retains, in the order in which the kinds were
  /// first stored.
  package func retained(
    _ census: [UInt32: CensusRow], _ kinds: KindRegistry
  ) -> [(kind: KindRegistry.Kind, count: UInt64)] {
    guard retainsRecords else { return [] }
    return kinds.kinds.values.sorted { $0.number < $1.number }.compactMap { kind in
      guard let row = census[kind.number], row.parts > 0, retaining(kind, in: kinds) != nil else {
        return nil
      }
      return (kind, row.parts)
    }
  }
}
