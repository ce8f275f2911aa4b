internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsProjections
internal import LMDB

/// Folds inline projections again in the generation that a migration pass builds, from its entries as they
/// are put.
struct InlinePass {
  /// The context in which they are folded; `nil` if the pass knows none.
  let room: InlineContext?
  let tables: StoreTables

  /// Folds every projection that the pass knows, up to a position.
  func run(upTo last: UInt64, in transaction: inout WriteTransaction) throws(AnnalsError) {
    guard let room, let table = transaction.environment.later(StoreTables.inline.name) else { return }
    var rows = try StoreReader(transaction.view, tables).ruleRows()
    let kinds = try StoreReader(transaction.view, tables).kinds()
    room.forget()
    for member in room.set.members.indices {
      guard let row = room.set.row(of: member, inForceIn: rows) else { continue }
      let refusal = try room.catchUp(
        member: member, &rows[row], to: last, kinds, tables, table, in: &transaction)
      if let refusal { throw refusal.error }
    }
    try transaction.put(folded: rows, in: tables.meta)
  }
}

extension PassTarget {
  /// Creates the table for rows of inline projections, if the file lacks it.
  func create(later definition: TableDefinition) throws(AnnalsError) {
    let environment = environment
    let turn = try storage { () throws(EnvironmentError) in try environment.turn() }
    do throws(EnvironmentError) { _ = try environment.create(later: definition, turn) } catch {
      throw AnnalsError(error)
    }
  }
}
