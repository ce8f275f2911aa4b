internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// The states of one stream or several, with their revisions as the condition of the append.
struct StreamBasis<Plan: SchemaMigrationPlan, A: Aggregate>: DecisionBasis
where A.Event == Plan.Current.Event {
  let store: EventStore<Plan>
  /// The streams, each once.
  let streams: [StreamName]

  /// - Throws: ``AnnalsError`` with code `wrongUse` if there is no stream.
  init(_ store: EventStore<Plan>, _ streams: [StreamName]) throws(AnnalsError) {
    guard !streams.isEmpty else {
      throw AnnalsError(.wrongUse, "a decision on streams names at least one stream, and this one names none")
    }
    self.store = store
    var known: Set<StreamName> = []
    self.streams = streams.count == 1 ? streams : streams.filter { known.insert($0).inserted }
  }

  var name: String { A.name }

  var stream: StreamName? { streams.first }

  var keys: Set<DecisionKey> { Set(streams.map { .stream($0) }) }

  func load() throws(AnnalsError) -> (state: LoadedStreams<A>, condition: [StreamName: Expectation]) {
    let turns = store.log.core.decisionTurns
    var recent = RecentStates<A>()
    for stream in streams {
      // Nobody else has the turn for the stream, so its last state is this decision's alone.
      recent.states[stream] = turns.takeHanded(for: .stream(stream))
      if turns.isAwaited(.stream(stream)) { recent.wanted.insert(stream) }
    }
    let loaded = try store.load(from: streams, at: nil, &recent)
    for (stream, state) in recent.states { turns.hand(state, for: .stream(stream)) }
    return (loaded, loaded.expectations)
  }

  func append(
    _ events: DecidedEvents<A.Event>, under condition: [StreamName: Expectation]
  ) async throws(AnnalsError) -> Appended {
    for part in events.parts where condition[part.stream] == nil {
      throw AnnalsError(
        .wrongUse,
        "stream '\(part.stream)': the decision has events for it and did not name it, so its state was not loaded; name it among the streams of the decision",
        details: AnnalsError.Details { $0.stream = part.stream })
    }
    return try await store.append { call in
      var unwritten = condition
      for part in events.parts {
        call.append(
          part.events, to: part.stream, expecting: unwritten.removeValue(forKey: part.stream) ?? .any)
      }
      // Streams that were only read are checked too.
      for stream in streams {
        if let expectation = unwritten[stream] { call.check(stream, expectation) }
      }
    }
  }
}
