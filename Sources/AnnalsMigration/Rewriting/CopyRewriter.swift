internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore

/// Copies entries unchanged, for a pass without a plan.
final class CopyRewriter: EntryRewriter {
  private let kinds: GenerationKinds
  private let digester: EntryDigester
  private var table = FateTable([], written: [])

  private let hidden: HiddenEntries

  init(_ kinds: GenerationKinds, _ source: RewriteSource) {
    hidden = source.hidden
    self.kinds = kinds
    digester = EntryDigester(nil, source, isQuarantining: false)
  }

  func enter(_ source: KindRegistry) throws(AnnalsError) {
    table = try kinds.table(for: source)
  }

  func expect(_ stream: Position) {}

  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    let index = run.count
    run.delivered.enter(entry.position)
    try digester.add(entry, reader, to: &run.delivered.sum)
    let header = entry.header
    if header.isSystem { return run.add(system: entry.bytes) }
    if hidden.contains(header) { return try hide(entry, into: &run) }
    if header.flags.contains(.stub) {
      _ = try table.fate(of: header.kind, at: entry.position)
      // The cause is the first byte of a stub.
      guard !entry.body.isEmpty else {
        throw AnnalsError(
          FormatFailure(.tooShort, at: header.body.lowerBound), place: "position \(entry.position)",
          position: entry.position)
      }
      run.tally.add(stub: header.kind, entry.body[0], at: index)
      try keepRows(of: entry, in: &run)
      // What a dropped event referred to stays until the stub is truncated.
      if hidden.covers(header), header.flags.contains(.extensions) {
        var copy = EntryCopy(entry.bytes, header, kind: header.kind, form: .stub, body: entry.body)
        copy.extensions = Span()
        return run.add(copy)
      }
    } else if header.flags.contains(.parts) {
      let isQuarantined = try entry.isQuarantined
      try entry.eachPart { (kind, _, payload) throws(AnnalsError) in
        _ = try table.fate(of: kind, at: entry.position)
        if isQuarantined {
          run.tally.add(quarantined: kind, at: index)
        } else {
          run.tally.add(kind, bytes: payload.count, at: index)
        }
      }
    } else if try entry.isQuarantined {
      _ = try table.fate(of: header.kind, at: entry.position)
      run.tally.add(quarantined: header.kind, at: index)
    } else {
      _ = try table.fate(of: header.kind, at: entry.position)
      run.tally.add(header.kind, bytes: header.body.count, at: index)
    }
    run.add(unchanged: entry.bytes)
  }

  /// Adds the stub of an entry that a truncation hides.
  private func hide(_ entry: borrowing LentEntry, into run: inout RewrittenRun) throws(AnnalsError) {
    var kind = entry.header.kind
    if kind == 0 {
      try entry.eachPart { (part, _, _) in if kind == 0 { kind = part } }
    }
    _ = try table.fate(of: kind, at: entry.position)
    var body: [UInt8] = []
    Stub.truncated.append(to: &body)
    run.tally.add(stub: kind, RemovalCause.truncated.rawValue, at: run.count)
    try keepRows(of: entry, in: &run)
    var copy = EntryCopy(entry.bytes, entry.header, kind: kind, form: .stub, body: body.span)
    copy.extensions = Span()
    run.add(copy)
  }

  /// Counts the kinds whose rows are in the entry of a stub, which is of one kind: those of the other parts
  /// that the entry had must stay known, because their rows stay in it.
  private func keepRows(of entry: borrowing LentEntry, in run: inout RewrittenRun) throws(AnnalsError) {
    guard entry.header.flags.contains(.rows) else { return }
    let rows: EntryRows
    do throws(FormatFailure) { rows = try EntryRows(entry.bytes, at: entry.header.rows) } catch {
      throw AnnalsError(error, place: "position \(entry.position)", position: entry.position)
    }
    for new in rows.new where table.first(of: new.kind) == entry.position {
      run.tally.keep(new.kind, at: run.count)
    }
  }
}
