package import AnnalsCoding
package import AnnalsFormat
internal import AnnalsShapes
internal import LMDB

extension AppendGroup {
  /// Notes the phase of a version's roll-out from this transaction on.
  package mutating func note(
    _ phase: SchemaRow.Phase, of version: SchemaVersion, stability: SchemaStability
  ) throws(AnnalsError) {
    try raiseEpoch()
    begun.insert(try kinds.note(phase, of: version, stability: stability).ordinal)
  }

  /// Notes which older versions read the existing kinds whose rows do not say so, according to the rules of a
  /// call.
  mutating func noteReaders(of call: AppendRequest) throws(AnnalsError) {
    var trial = kinds
    let found = trial.noteReaders { call.oldestReader(of: $0, version: $1, shape: $2) }
    guard !found.isEmpty else { return }
    try raiseEpoch()
    trial.epoch = kinds.epoch
    kinds = trial
    noted.formUnion(found)
  }

  /// Makes every process read `schemas`, `kinds` and `requires` again, once for each group.
  package mutating func raiseEpoch() throws(AnnalsError) {
    guard !hasRaisedEpoch else { return }
    guard kinds.epoch < .max else {
      throw AnnalsError(
        .damaged, "table 'meta': the row 'schemaEpoch' has a number that no store reaches",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    kinds.epoch += 1
    hasRaisedEpoch = true
  }

  /// Writes the entries' changes to `schemas`, `kinds` and `census`.
  mutating func putRows(in transaction: inout WriteTransaction) throws(AnnalsError) {
    for new in registered {
      let ordinal = UInt64(new.kindRow.ordinal)
      try transaction.put(new.schemaRow.encoded(), ordinal, in: tables.schemas)
      try transaction.put(new.kindRow.encoded(), UInt64(new.kind), in: tables.kinds)
    }
    for ordinal in begun.sorted() {
      guard let row = kinds.schemas[ordinal] else { continue }
      try transaction.put(row.encoded(), UInt64(ordinal), in: tables.schemas)
    }
    for number in noted.sorted() {
      guard let kind = kinds.kinds[number] else { continue }
      try transaction.put(kind.row.encoded(), UInt64(number), in: tables.kinds)
    }
    if !noted.isEmpty || registered.contains(where: { $0.kindRow.oldestReader != nil }) {
      try transaction.require(.readers, tables)
    }
    if !kinds.hashesJournal, generation.environment.later(StoreTables.journal.name) != nil {
      // Records begin with the next commit, whose flush makes this row durable. The schema epoch stays: no
      // other row changes.
      kinds.hashesJournal = true
      try transaction.require(.journalHash, tables)
    }
    if hasRaisedEpoch {
      var epoch: [UInt8] = []
      epoch.append(varint: kinds.epoch)
      try transaction.put(epoch, StoreMeta.Name.schemaEpoch.rawValue, in: tables.meta)
    }
    if let table = generation.environment.tags { try tags.put(in: table, &transaction) }
    if hasAppliedRules { try transaction.put(folded: rules, in: tables.meta) }
    try putCensus(in: &transaction)
  }

  /// Writes the changes to `census`.
  mutating func putCensus(in transaction: inout WriteTransaction) throws(AnnalsError) {
    for (kind, added) in census.sorted(by: { $0.key < $1.key }) {
      var row =
        try StoreReader(transaction.view, tables).row(UInt64(kind), in: tables.census) {
          (bytes) throws(FormatFailure) in try CensusRow(bytes)
        } ?? CensusRow()
      row.add(added)
      try transaction.put(row.encoded(), UInt64(kind), in: tables.census)
    }
    census.removeAll(keepingCapacity: true)
  }
}
