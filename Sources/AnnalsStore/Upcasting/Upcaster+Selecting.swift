package import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

extension Upcaster {
  /// Leaves out entries that none of these steps of the plan begins with. They are not even decoded.
  package mutating func select(_ steps: Set<Int>) {
    wanted = reach.wanted(steps, in: reading.kinds)
  }

  /// Whether no reader that names its wanted events needs events of a kind.
  private func isPassable(_ kind: UInt32) -> Bool {
    reading.kinds.kinds[kind].map { reach.isPassable($0) } ?? false
  }

  /// The cases of the current event that an entry may become; `nil` if that is not known.
  package func cases(of entry: borrowing LentEntry) -> Set<Int>? {
    guard entry.kind == 0 else { return cases(of: entry.kind) }
    guard let body = try? EntryBody(entry.bytes, header: entry.header), case .parts(let parts) = body else {
      return nil
    }
    var all: Set<Int> = []
    for part in parts {
      guard let cases = cases(of: part.kind) else { return nil }
      all.formUnion(cases)
    }
    return all
  }

  private func cases(of kind: UInt32) -> Set<Int>? {
    guard Int(kind) < table.count, let step = table[Int(kind)]?.step else {
      return isPassable(kind) ? [] : nil
    }
    let plan = reach.plan
    return Set(plan.current.records.indices.filter { plan.sources(of: $0).contains(step) })
  }
}
