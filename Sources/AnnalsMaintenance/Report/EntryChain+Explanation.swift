package import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema

extension EntryChain {
  /// The chain of an explained entry.
  package init(_ explanation: EntryExplanation) {
    let entry = explanation.entry
    var notes = explanation.kinds.map { kind in
      "\(kind.type) \(Self.name(kind.version)), \(kind.shape == nil ? "by name" : "by shape")"
    }
    if let removal = explanation.removal {
      notes.append("not delivered, \(removal.cause): \(removal.reason)")
    }
    let stored = Column(
      title: "stored", notes: notes,
      events: Self.stored(entry) { explanation.readable($0, $1, $2) })
    var columns = [stored]
    if explanation.removal == nil {
      if let version = explanation.version,
        explanation.steps.isEmpty || explanation.kinds.contains(where: { $0.version != version })
      {
        columns.append(
          Column(title: "read at \(version)", events: Self.events(explanation.events, after: stored.events)))
      }
      for step in explanation.steps {
        columns.append(
          Column(
            title: "\(step.to)", notes: Self.notes(step),
            events: Self.events(step.events, after: columns.last?.events ?? [])))
      }
      if explanation.failure == nil, let last = columns.popLast() {
        let notes = last.events.isEmpty ? last.notes + ["nothing of it is delivered"] : last.notes
        columns.append(Column(title: "\(last.title), now", notes: notes, events: last.events))
      }
    }
    self.init(
      entry, size: explanation.size, columns: columns,
      failure: explanation.failure.map { "\($0.code): \($0.message)" })
  }

  /// The chain of an entry whose plan is not known: its stored form alone.
  package init(_ entry: LogEntry) {
    self.init(
      entry, size: nil, columns: [Column(title: "stored", events: Self.stored(entry) { data, _, _ in data })])
  }

  private init(_ entry: LogEntry, size: Int?, columns: [Column], failure: String? = nil) {
    self.init(
      position: entry.position.rawValue, stream: entry.stream.text, revision: entry.revision.rawValue,
      time: "\(entry.time)", size: size, columns: columns, failure: failure)
  }

  /// The stored events of an entry, with the payloads that `readable` returns.
  private static func stored(
    _ entry: LogEntry, _ readable: (Payload, String, SchemaVersion?) -> Payload
  ) -> [Event] {
    switch entry.content {
    case .payload(let payload):
      [
        .marked(
          path: [], type: entry.type, fields(readable(payload, entry.type, entry.version)), after: [])
      ]
    case .parts(let parts):
      parts.map { part in
        .marked(
          path: part.path, type: part.type, fields(readable(part.payload, part.type, part.version)),
          after: [])
      }
    case .stub(let reason):
      [Event(path: [], type: entry.type, fields: [Field(name: "removed", value: reason, change: .same)])]
    }
  }

  private static func events(_ events: [EntryExplanation.Event], after older: [Event]) -> [Event] {
    events.map { event in
      .marked(path: event.path, type: event.type, fields(event.readable), after: older)
    }
  }

  /// How the records of a step crossed the stage, each once.
  private static func notes(_ step: EntryExplanation.Step) -> [String] {
    var notes: [String] = []
    for crossing in step.crossings {
      let note = EntryExplanation.text(crossing.fate)
      if !notes.contains(note) { notes.append(note) }
    }
    return notes
  }

  private static func name(_ version: SchemaVersion?) -> String { version.map { "\($0)" } ?? "no version" }

  /// The fields of a payload in its order; nested maps by the path of each field.
  private static func fields(_ payload: Payload) -> [(name: String, value: String)] {
    do throws(AnnalsError) {
      guard case .map(let pairs) = try payload.value else { return [("", try payload.json())] }
      return flattened(pairs, "")
    } catch {
      return [("", error.message)]
    }
  }

  private static func flattened(_ pairs: [CBOR.Pair], _ prefix: String) -> [(name: String, value: String)] {
    pairs.flatMap { pair -> [(name: String, value: String)] in
      guard case .text(let key) = pair.key else { return [] }
      if case .map(let nested) = pair.value, !nested.isEmpty { return flattened(nested, "\(prefix)\(key).") }
      // An object with one member, whose key is one letter: only the value's JSON differs.
      var writer = JSONWriter()
      do throws(CodingFailure) { try writer.value(.map([CBOR.Pair(.text("v"), pair.value)])) } catch {
        return [("\(prefix)\(key)", "\(error)")]
      }
      let text = writer.bytes.dropFirst(5).dropLast()
      return [("\(prefix)\(key)", String(decoding: text, as: UTF8.self))]
    }
  }
}
