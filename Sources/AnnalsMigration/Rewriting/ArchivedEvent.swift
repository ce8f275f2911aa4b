internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// An event that a pass changes with a loss, as it is archived.
struct ArchivedEvent: Sendable {
  /// The kind that it is stored under.
  let kind: KindRegistry.Kind
  /// The path of the part in its entry; empty if the entry has no parts.
  let path: [UInt32]
  /// The values that it loses.
  var losses = PayloadLosses()
  /// The reasons for dropping it, or some of the events that a rule made of it; empty if nothing was dropped.
  var reasons: [String] = []
  /// The whole stored payload, if something was dropped.
  var payload: [UInt8] = []
}

// The lines of an archive.
extension JSONWriter {
  /// Appends the line of an entry in an archive.
  ///
  /// - Parameters:
  ///   - stream: The stream that it is in before the pass.
  ///   - events: What it loses; there is one.
  /// - Throws: ``AnnalsError`` with code `damaged` if the entry holds what no payload may; nothing is
  ///   appended then.
  mutating func archived(
    _ entry: borrowing LentEntry, _ stream: StreamName, _ events: [ArchivedEvent]
  ) throws(AnnalsError) {
    let start = bytes.count
    // The metadata are archived with an entry of which no event is left.
    let metadata =
      events.contains { !$0.reasons.isEmpty } ? try EntryReading.metadata(of: entry) : Metadata()
    do throws(CodingFailure) {
      raw("{\"position\":")
      unsigned(entry.position.rawValue)
      raw(",\"stream\":")
      text(stream.text)
      raw(",\"revision\":")
      unsigned(entry.revision.rawValue)
      raw(",\"time\":")
      time(entry.time)
      if let id = entry.id {
        raw(",\"id\":")
        self.id(id)
      }
      if !metadata.isEmpty {
        raw(",\"metadata\":")
        try value(metadata.cbor)
      }
      if entry.header.flags.contains(.parts) {
        raw(",\"parts\":[")
        for (index, event) in events.enumerated() {
          raw(index == 0 ? "{\"path\":" : ",{\"path\":")
          list(event.path) { $0.unsigned(UInt64($1)) }
          try archived(event)
          raw("}")
        }
        raw("]")
      } else {
        for event in events { try archived(event) }
      }
      raw("}\n")
    } catch {
      bytes.removeSubrange(start...)
      throw AnnalsError(
        .damaged,
        "position \(entry.position): it cannot be archived, since the payload is not valid: \(error); run 'annals verify'",
        details: AnnalsError.Details { $0.position = entry.position }, underlying: error)
    }
  }

  /// Appends what an event is and what it loses.
  private mutating func archived(_ event: ArchivedEvent) throws(CodingFailure) {
    raw(",\"type\":")
    text(event.kind.row.name)
    raw(",\"version\":")
    version(event.kind.version)
    if !event.losses.values.isEmpty {
      raw(",\"removed\":[")
      let named = event.losses.named.span
      for (index, value) in event.losses.values.enumerated() {
        raw(index == 0 ? "{\"path\":" : ",{\"path\":")
        list(value.path) { $0.text($1.text) }
        if value.isInside {
          raw(",\"at\":")
          list(value.place) { (writer, step) in
            switch step {
            case .key(let key): writer.text(key.text)
            case .index(let index): writer.unsigned(UInt64(clamping: index))
            }
          }
        }
        raw(",\"value\":")
        var reader = CBORReader(named, at: value.bytes.lowerBound)
        try item(&reader)
        raw("}")
      }
      raw("]")
    }
    guard !event.reasons.isEmpty else { return }
    raw(",\"dropped\":")
    list(event.reasons) { $0.text($1) }
    raw(",\"data\":")
    guard let shape = event.kind.shape else { return try payload(event.payload.span) }
    var named: [UInt8] = []
    try shape.storedNames.write(event.payload.span, to: &named)
    try payload(named.span)
  }
}
