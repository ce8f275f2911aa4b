internal import Annals

// The changes of the history.
extension ImportRun {
  mutating func remember(_ history: SourceHistory) throws(AnnalsError) {
    var remembered: [RowID: Remembered] = [:]
    try history.each(file.database) { change in
      remembered[RowID(entity: change.entity, key: change.key), default: .init(first: change.kind, last: 0)]
        .last =
        change.number
    }
    self.remembered = remembered
  }

  mutating func changes(
    _ history: SourceHistory, _ progress: (SwiftDataImportReport) -> Void
  ) throws(AnnalsError) {
    let saves = try history.saves(file.database)
    var run = self
    try history.each(file.database) { change throws(AnnalsError) in
      guard let save = saves[change.transaction] else {
        throw AnnalsError(
          .damaged,
          "'\(run.file.name)' is damaged: change \(change.number) of its history belongs to the save "
            + "\(change.transaction), which is missing")
      }
      try run.add(change, save)
      try run.finishIfFull(progress)
    }
    self = run
  }

  mutating func add(_ change: SourceChange, _ save: SourceTransaction) throws(AnnalsError) {
    guard let entity = entities.first(where: { $0.source.number == change.entity }) else {
      report.otherChanges += 1
      return
    }
    let id = RowID(entity: change.entity, key: change.key)
    guard let known = try known(entity.stream(of: change.key), of: id) else { return }
    // Stubs are read once for all changes of the row.
    if known.stubs != nil { remembered[id]?.known = known }
    // Saves of two programs at once can have numbers of changes that contradict the order of the saves.
    let imported = remembered[id]?.imported ?? known.change
    remembered[id]?.imported = imported
    guard change.number > imported else { return }
    let isLast = remembered[id]?.last == change.number
    // Only after its last change does a row have the values that the file has.
    let row = isLast && change.kind != .delete ? try self.row(change.key, of: entity) : nil
    try add(change.kind, change.key, row, of: entity, known, change, save)
  }

  func row(_ key: Int64, of entity: MappedEntity) throws(AnnalsError) -> SourceRow? {
    guard
      let values = try file.database.rows(
        entity.query("AND Z_PK = ?"), [.integer(entity.source.number), .integer(key)]
      ).first
    else { return nil }
    return try SourceRow(values, entity, in: file)
  }
}
