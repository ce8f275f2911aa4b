internal import AnnalsFormat
internal import AnnalsProjections
internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsVerify
internal import LMDB

// The steps of a repair that replace those of a pass.
extension Pass {
  /// The number of entries that are followed before their heads are written, so that memory stays constant.
  private static let step: UInt64 = 100_000
  /// The number of entries that are kept at a time to be compared.
  private static let compared: UInt64 = 64

  /// Throws if `patch` was made for another generation than the one that is copied.
  static func check(_ patch: EntryPatch?, fits source: Generation) throws(AnnalsError) {
    guard let patch, patch.generation != source.number else { return }
    throw AnnalsError(
      .storeReplaced,
      "generation \(patch.generation) was looked at, and \(source.number) is in use now; nothing was changed: begin the repair again"
    )
  }

  /// Rebuilds the rows of `streams` and `heads` from the copied entries; none is there yet.
  func rebuildHeads() throws(AnnalsError) {
    let generation = try target.generation(in: directory)
    var merge = HeadMerge(generation, HeadMerge.Interval())
    var reached: UInt64 = 0
    while reached < machine.copied {
      let end = SnapshotEnd(checkpoint: reached, last: min(machine.copied, reached + Self.step))
      try generation.read { (reader) throws(AnnalsError) in try generation.heads.follow(end, reader) }
      try target.write(safety == .synced ? .full : .none) { (transaction) throws(AnnalsError) in
        try merge.finish(in: &transaction)
      }
      merge.keep()
      reached = end.last
    }
    merge.join()
  }

  /// Throws unless both generations have the same bytes at some positions, stubs where entries were lost
  /// among them.
  func compareBytes(_ segment: ClosedRange<UInt64>) throws(AnnalsError) {
    let new = RewriteSource(target.environment, log: source.meta.log)
    var next = segment.lowerBound
    while next <= segment.upperBound {
      let range = next...min(segment.upperBound, next + Self.compared - 1)
      var expected: [[UInt8]] = []
      try old.read(range, { (_) in }) { (entry, _) throws(AnnalsError) in
        expected.append(entry.bytes.copied)
        return true
      }
      var index = 0
      try new.read(range, { (_) in }) { (entry, _) throws(AnnalsError) in
        guard try Self.isSame(expected[index], entry) else {
          throw AnnalsError(
            .verifyFailed,
            "position \(entry.position): the new generation has other bytes than the old one; the store is as it was",
            details: AnnalsError.Details { $0.position = entry.position })
        }
        index += 1
        return true
      }
      next = range.upperBound + 1
    }
  }

  /// Whether an entry is `old`, but for rows of a kind whose first entry it has become, and for the links of
  /// its tags, which are made again.
  private static func isSame(
    _ old: [UInt8], _ new: borrowing LentEntry
  ) throws(AnnalsError) -> Bool {
    if old == new.bytes.copied { return true }
    let position = new.position
    do throws(FormatFailure) {
      let header = try EntryHeader(old.span, at: position)
      guard new.header.flags.contains(.rows) || header.flags.contains(.extensions) else { return false }
      if !new.header.flags.contains(.stub) {
        let tags = try new.header.tags(in: new.bytes, at: position)
        guard try tags == header.tags(in: old.span, at: position) else { return false }
      }
      let rows = old.span.extracting(header.rows..<header.body.lowerBound)
      return try withoutTags(new.bytes, new.header, rows, at: position)
        == withoutTags(old.span, header, rows, at: position)
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// The bytes of an entry without tags, and with these rows.
  private static func withoutTags(
    _ bytes: Span<UInt8>, _ header: EntryHeader, _ rows: Span<UInt8>, at position: Position
  ) throws(FormatFailure) -> [UInt8] {
    var extensions = try EntryExtensions(bytes, header)
    extensions[TagList.key] = nil
    let rest = extensions.encoded()
    var copy = EntryCopy(
      bytes, header, kind: header.kind, form: header.form, body: bytes.extracting(header.body))
    copy.extensions = rest.span
    copy.rows = rows
    return copy.encoded(at: position)
  }

  /// Throws unless the whole new generation is valid.
  mutating func verifyRepair() throws(AnnalsError) {
    let report = try target.read { (reader) throws(AnnalsError) in
      try reader.verify(try reader.kinds(), in: target.environment, { (_) in }) {
        (tables, end) throws(AnnalsError) in try tables.checkInline(nil, end)
      }
    }
    guard let first = report.findings.first else { return }
    throw AnnalsError(
      .verifyFailed,
      "the repaired generation would have \(report.count) findings, the first at \(first.place): \(first.problem); the store is as it was, and this takes a backup",
      details: AnnalsError.Details { $0.position = first.position })
  }
}
