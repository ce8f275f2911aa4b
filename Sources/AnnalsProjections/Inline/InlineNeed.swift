package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
package import AnnalsStore

/// The work that an inline projection needs before it is in force in a store, found without changing
/// anything.
package enum InlineNeed: Sendable {
  /// It is in force, and folded to the end of the log.
  case none
  /// The next open for writing folds it, or reports why it cannot.
  case folding(because: String)
  /// It comes into force with the next activation.
  case activation(because: String)
  /// A newer program has put a later version in force.
  case newerProgram(String)
}

extension InlineDecision {
  /// Returns the work that a projection of the set needs.
  func need(of index: Int) -> InlineNeed {
    let member = set.members[index]
    if let newer = rows.first(where: {
      $0.isInForce && member.isNamed(by: $0) && $0.version > member.outline.version
    }) {
      return .newerProgram(
        "the store has version \(newer.version), and this older one is not folded alongside it: use the newer program"
      )
    }
    do throws(AnnalsError) {
      switch try step(of: index) {
      case .begin: return .folding(because: "this version has not been folded here")
      case .fold(_, let row):
        return .folding(because: "it is folded up to position \(rows[row].folded) of \(last)")
      case .retire: return .folding(because: "the rows that were folded so far have other tables")
      case nil, .remove, .putInForce: break
      }
    } catch {
      return .folding(because: error.message)
    }
    if set.row(of: index, inForceIn: rows) != nil { return .none }
    let older = rows.first { $0.isInForce && member.isNamed(by: $0) }
    return .activation(
      because: older.map { "version \($0.version) is in force" } ?? "this version is not in force here")
  }
}

extension EventStore {
  /// Returns the work that each inline projection of the store needs before it is in force.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(inline projections).
  package func inlineNeeds() throws(AnnalsError) -> [(name: String, version: Int, need: InlineNeed)] {
    guard let inline else { return [] }
    let (rows, last) = try log.read { (snapshot) throws(AnnalsError) in
      (try snapshot.reader.ruleRows(), try snapshot.reader.last())
    }
    let decision = InlineDecision(set: inline, rows: rows, last: last, isActivating: false)
    return inline.members.indices.filter { !inline.members[$0].isRetiring }.map { index in
      let outline = inline.members[index].outline
      return (outline.name, outline.version, decision.need(of: index))
    }
  }
}
