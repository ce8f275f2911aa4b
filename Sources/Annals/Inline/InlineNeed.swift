package import AnnalsCoding

/// What an inline projection of a program needs before it is in force in a store, by a look that changes nothing.
package enum InlineNeed: Sendable {
  /// It is in force, and folded as far as the log goes.
  case none
  /// The next open for writing folds it, or says why it cannot.
  case folding(because: String)
  /// A newer program has put a later version there.
  case newerProgram(String)
}

extension InlineDecision {
  /// What a projection of the set needs.
  func need(of index: Int) -> InlineNeed {
    let member = set.members[index]
    if let newer = rows.first(where: {
      $0.state == .live && member.isNamed(by: $0) && $0.version > member.outline.version
    }) {
      return .newerProgram(
        "the store has version \(newer.version), beside which this one is not folded: use the newer program")
    }
    do throws(AnnalsError) {
      switch try step(of: index) {
      case nil, .remove: return .none
      case .begin: return .folding(because: "this version has not been folded here")
      case .fold(_, let row):
        return .folding(because: "it is folded up to position \(rows[row].folded) of \(last)")
      case .retire: return .folding(because: "what was folded of it so far has other tables")
      }
    } catch {
      return .folding(because: error.message)
    }
  }
}

extension EventStore {
  /// What each inline projection that the store was opened with needs before it is in force.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(inline projections).
  package func inlineNeeds() throws(AnnalsError) -> [(name: String, version: Int, need: InlineNeed)] {
    guard let inline else { return [] }
    let (rows, last) = try log.read { (snapshot) throws(AnnalsError) in
      (try snapshot.reader.inlineRows(), try snapshot.reader.last())
    }
    let decision = InlineDecision(set: inline, rows: rows, last: last, isActivating: false)
    return inline.members.indices.map { index in
      let outline = inline.members[index].outline
      return (outline.name, outline.version, decision.need(of: index))
    }
  }
}
