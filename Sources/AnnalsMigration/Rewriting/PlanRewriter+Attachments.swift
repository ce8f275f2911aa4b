internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

// The attachments that a rewritten entry refers to.
extension PlanRewriter {
  /// Calls `body`, and notes the attachments to which the events refer that it encodes.
  func noting(_ body: () throws(RewriteFailure) -> Void) throws(RewriteFailure) {
    guard hasAttachments else { return try body() }
    let notes = AttachmentNotes()
    self.notes = notes
    defer { self.notes = nil }
    try AttachmentNotes.$current.withValue(notes) {
      Result { () throws(RewriteFailure) in try body() }
    }.get()
  }

  /// Returns the attachments that the entry at hand refers to after the pass; `nil` if they stay.
  ///
  /// An entry keeps those that it had, also of what a rule left out: a pass must not lose a content. But what
  /// a fold has taken into a later entry belongs to that entry alone, and leaves with it.
  func newAttachments(of entry: borrowing LentEntry) throws(AnnalsError) -> [ContentHash]? {
    guard let notes else { return nil }
    let old = try EntryReading.attachments(of: entry)
    var new = Set(notes.hashes)
    let hasParts = entry.header.flags.contains(.parts)
    let drops = hasParts ? parts.drops.map(\.drop) : upcaster.delivery.drops
    if !drops.isEmpty, drops.allSatisfy({ $0.cause == .fold }) {
      let rest = hasParts ? parts.bytes : []
      // In an untyped log, a payload may refer to a content by other means than an attachment.
      new.formUnion(old.filter { rest.span.contains($0.bytes) || !entry.body.contains($0.bytes) })
    } else {
      new.formUnion(old)
    }
    return new == Set(old) ? nil : new.sorted()
  }
}

extension Span<UInt8> {
  /// Whether `sought`, which has a byte at least, is among the bytes.
  fileprivate func contains(_ sought: [UInt8]) -> Bool {
    guard count >= sought.count else { return false }
    for start in 0...(count - sought.count) where self[start] == sought[0] {
      var index = 1
      while index < sought.count, self[start + index] == sought[index] { index += 1 }
      if index == sought.count { return true }
    }
    return false
  }
}
