internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// Rewrites entries as another rewriter does, and keeps what the conditions of a cluster compare.
///
/// An entry whose type or version changes, or that becomes a stub, notes those that it was appended with.
/// Such a stub also keeps its tags. So a condition finds the same entries on each machine, wherever a pass
/// has run.
final class OriginalsRewriter: EntryRewriter {
  private let rewriter: any EntryRewriter
  private let kinds: GenerationKinds
  private var table = FateTable([], written: [])

  init(_ rewriter: any EntryRewriter, _ kinds: GenerationKinds) {
    self.rewriter = rewriter
    self.kinds = kinds
  }

  func enter(_ source: KindRegistry) throws(AnnalsError) {
    try rewriter.enter(source)
    table = try kinds.table(for: source)
  }

  func expect(_ stream: Position) { rewriter.expect(stream) }

  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    try rewriter.rewrite(entry, reader, into: &run)
    if entry.header.isSystem { return }
    guard let bytes = try kept(entry, as: run.entry(run.count - 1)) else { return }
    run.replaceLast(with: bytes.span)
  }

  /// Returns the rewritten entry `new` with what conditions compare; `nil` if it has that already.
  private func kept(_ entry: borrowing LentEntry, as new: Span<UInt8>) throws(AnnalsError) -> [UInt8]? {
    let position = entry.position
    let fate = entry.kind == 0 ? nil : try table.fate(of: entry.kind, at: position)
    do throws(FormatFailure) {
      let old = try EntryExtensions(entry.bytes, entry.header)
      let header = try EntryHeader(new, at: position)
      var extensions = try EntryExtensions(new, header)
      let before = extensions
      if let original = old[OriginalType.key] {
        extensions[OriginalType.key] = original
      } else {
        // An erased entry matches nothing. Of a stub or of parts without it, nothing else is known.
        guard let fate, entry.header.flags.isDisjoint(with: .otherBodies) else { return nil }
        if header.flags.isDisjoint(with: .otherBodies), header.kind == fate.number { return nil }
        extensions[OriginalType.key] = OriginalType(fate.kind).encoded()
      }
      if header.flags.contains(.stub) { extensions[TagList.key] = old[TagList.key] }
      if extensions == before { return nil }
      let body = new.extracting(header.body)
      var copy = EntryCopy(new, header, kind: header.kind, form: header.form, body: body)
      let bytes = extensions.encoded()
      copy.extensions = bytes.span
      copy.rows = new.extracting(header.rows..<header.body.lowerBound)
      return copy.encoded(at: position)
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }
}
