internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

// The result of an entry, on its way into the new generation.
extension PlanRewriter {
  /// The name of the stream that an entry is in before the pass.
  func streamName(of entry: borrowing LentEntry, _ reader: StoreReader) throws(AnnalsError) -> StreamName {
    try origins.value.name(of: entry.stream, reader)
  }

  /// Adds an entry with another body.
  ///
  /// - Parameters:
  ///   - kind: Its kind; not used where the body is the ``parts``.
  ///   - extensions: Its extensions; `nil` where they stay as they are.
  func add(
    _ entry: borrowing LentEntry, kind: UInt32, _ form: EntryDraft.Form, _ body: Span<UInt8>,
    _ extensions: [UInt8]?, into run: inout RewrittenRun
  ) {
    if hasNewTags, form != .stub { run.changes.retagged += 1 }
    let count = form == .parts ? UInt64(parts.count) : nil
    var copy = EntryCopy(entry.bytes, entry.header, kind: kind, form: form, parts: count, body: body)
    guard let extensions else { return run.add(copy) }
    copy.extensions = extensions.span
    run.add(copy)
  }
}
