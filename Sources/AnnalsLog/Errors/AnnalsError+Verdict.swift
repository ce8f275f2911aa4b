package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension AnnalsError {
  /// The error of an append that was not accepted and is not in the log already.
  package init(_ verdict: AppendVerdict) {
    switch verdict {
    case .duplicateID(let id, let stream):
      self.init(
        .duplicateID, "stream '\(stream)': the call holds the event id \(id) twice; give each event its own",
        details: Details {
          $0.stream = stream
          $0.id = id
        })
    case .partialDuplicate(let id, let stream):
      self.init(
        .partialDuplicate,
        "stream '\(stream)': the event id \(id) is there already, but not all events of the call are, in the same order; nothing was written",
        details: Details {
          $0.stream = stream
          $0.id = id
        })
    case .moved(let stream, let names):
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      self.init(
        .streamMoved,
        "stream '\(stream)' moved to \(list): append there, and read there first if the call may have been stored before; an append of events without ids that expects nothing starts '\(stream)' again",
        details: Details {
          $0.stream = stream
          $0.movedTo = names
        })
    case .merged(let id, let stream): self.init(merged: id, stream)
    case .closed(let stream):
      self.init(
        .streamClosed,
        "stream '\(stream)' is closed and takes no events; nothing was written: reopen it first",
        details: Details { $0.stream = stream })
    case .conflict(let violations):
      self.init(
        .conflict, violations.map(\.description).joined(separator: "; ") + "; read again and decide again",
        details: Details {
          $0.violations = violations
          $0.stream = violations.first?.stream
        })
    case .matched(let match):
      let reason =
        match.isUnreadable
        ? "the entry cannot be read, so that it may match the query of the append's condition; nothing was written: read again and decide again, and give the condition the position of that read"
        : "the entry matches the query of the append's condition; nothing was written: read again and decide again"
      self.init(
        .conflict, "position \(match.position): \(reason)", details: Details { $0.position = match.position })
    case .accepted, .repeated:
      self.init(.wrongUse, "an append that succeeded was reported as a failure")
    }
  }

  /// The error for an id that was found in `stream`, which a pass has merged from several.
  package init(merged id: UUID, _ stream: StreamName) {
    self.init(
      .streamMoved,
      "stream '\(stream)': the event id \(id) is in the stream, which a migration pass has merged from several, so the event that has it is not known; nothing was written: read '\(stream)', and append the event under another id if it is not there",
      details: Details {
        $0.stream = stream
        $0.id = id
        $0.movedTo = [stream]
      })
  }
}
