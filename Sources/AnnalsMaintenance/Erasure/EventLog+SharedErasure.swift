package import AnnalsCoding
package import AnnalsLog
internal import AnnalsProjections
internal import AnnalsSubscriptions

extension EventLog {
  /// Applies an erasure that another machine of the cluster asked for, and clears what programs of this
  /// machine have worked out from the entries.
  ///
  /// Views are withdrawn before the commit, and none is built before its end, as in an erasure of this
  /// machine.
  ///
  /// - Parameters:
  ///   - positions: The entries that are erased; none if a key was dropped.
  ///   - rules: The inline projections of the store.
  ///   - apply: Erases the entries.
  /// - Returns: The result of `apply`.
  /// - Throws: `busy` while a migration pass runs, and what `apply` throws.
  package func applyErasure<Applied>(
    of positions: [Position], rules: [any AppendRule], _ apply: () throws(AnnalsError) -> Applied
  ) throws(AnnalsError) -> Applied {
    let passes = try keepPassesOut()
    let kinds = try read { (snapshot) throws(AnnalsError) in
      positions.isEmpty ? nil : try ErasedKinds(positions, snapshot)
    }
    let views = try core.withdrawViews(of: kinds)
    // Before and after: a load in between may keep a state that it has folded from the contents.
    try core.removeSnapshots()
    let applied = try apply()
    views?.end()
    try completeErasure(rules: rules)
    _ = consume passes
    return applied
  }

  /// Does what follows the commit of an erasure, also again after an attempt that failed.
  package func completeErasure(rules: [any AppendRule]) throws(AnnalsError) {
    try core.removeSnapshots()
    for rule in rules { try rule.begin(self, isActivating: false) { () throws(AnnalsError) in } }
  }
}
