internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

// What a pass leaves in place of entries that give no events.
extension PlanRewriter {
  /// Adds a stub of the older generation.
  func keepStub(
    _ entry: borrowing LentEntry, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    let header = entry.header
    let kind = try table.fate(of: header.kind, at: entry.position).stub
    // The cause is the first byte of a stub.
    guard let cause = entry.body.isEmpty ? nil : entry.body[0] else {
      throw AnnalsError(
        FormatFailure(.tooShort, at: header.body.lowerBound), place: "position \(entry.position)",
        position: entry.position)
    }
    run.tally.add(stub: kind, cause, at: run.count)
    var copy = EntryCopy(entry.bytes, header, kind: kind, form: .stub, body: entry.body)
    // What a dropped event referred to stays until the stub is truncated.
    if source.hidden.covers(header) { copy.extensions = Span() }
    run.add(copy)
  }

  /// Adds the stub of an entry that gives no events.
  func addStub(
    _ entry: borrowing LentEntry, _ extensions: [UInt8]?, into run: inout RewrittenRun
  ) throws(RewriteFailure) {
    let number = try firstKind(of: entry)
    let kind = try table.fate(of: number, entry.position).stub
    // Rules alone give nothing, and each that does says so.
    let drop = parts.drops.first?.drop
    let cause = drop?.cause ?? .rule
    let stub = Stub(cause: cause, from: drop?.site.from, to: drop?.site.to, reason: drop?.reason ?? "")
    var body: [UInt8] = []
    stub.append(to: &body)
    run.tally.add(stub: kind, cause.rawValue, at: run.count)
    run.changes.addStub()
    add(entry, kind: kind, .stub, body.span, extensions, into: &run)
  }
}
