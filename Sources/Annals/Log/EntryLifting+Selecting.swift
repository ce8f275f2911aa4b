internal import AnnalsSchema

extension EntryLifting {
  /// Passes over entries that none of these steps of the plan begins with: they are not even decoded.
  mutating func pass(over steps: Set<Int>) {
    isWanted = table.indices.map { kind in
      // What has no entrance is asked for, and told as what it is.
      table[kind].map { steps.contains($0.step) } ?? !isPassable(UInt32(kind))
    }
  }

  /// Whether events of a kind concern nobody who names the events that are wanted.
  private func isPassable(_ kind: UInt32) -> Bool {
    reading.kinds.kinds[kind].map { reach.isPassable($0) } ?? false
  }

  /// Whether any event of an entry may be wanted.
  func wants(_ entry: borrowing LentEntry) -> Bool {
    if isWanted.isEmpty || entry.kind == 0 { return true }
    return wants(entry.kind)
  }

  /// Whether events of a kind may be wanted.
  func wants(_ kind: UInt32) -> Bool {
    isWanted.isEmpty || Int(kind) >= isWanted.count || isWanted[Int(kind)]
  }

  /// The cases of the current event that an entry may become; `nil` where that is not known.
  func cases(of entry: borrowing LentEntry) -> Set<Int>? {
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
