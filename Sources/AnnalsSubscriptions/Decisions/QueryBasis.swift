internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// A model of the events that match a query, and as the condition of the append that no other one matches.
struct QueryBasis<Plan: SchemaMigrationPlan, Model: DecisionModel>: DecisionBasis
where Model.Event == Plan.Current.Event {
  let store: EventStore<Plan>
  /// The model before the first event.
  let model: Model
  /// The name of the model, for errors of its fold.
  let name: String
  let query: EventQuery<Model.Event>

  var stream: StreamName? { nil }

  var keys: Set<DecisionKey> {
    var keys: Set<DecisionKey> = []
    for item in query.items {
      if !item.tags.isEmpty {
        for tag in item.tags { keys.insert(.tag(tag)) }
      } else if let cases = item.cases {
        for number in cases { keys.insert(.type(number)) }
      } else {
        keys.insert(.everything)
      }
    }
    return keys
  }

  func load() throws(AnnalsError) -> (state: Model, condition: Position?) {
    try store.read { (snapshot) throws(AnnalsError) -> (Model, Position?) in
      var model = model
      try snapshot.entries(matching: query).forEach { (entry) throws(AnnalsError) in
        do { try model.apply(entry) } catch {
          throw AnnalsError(error, folding: entry.position, of: entry.stream, in: name)
        }
      }
      return (model, try snapshot.head())
    }
  }

  func append(
    _ events: DecidedEvents<Model.Event>, under condition: Position?
  ) async throws(AnnalsError) -> Appended {
    try await store.append(unless: query, after: condition) { call in
      for part in events.parts { call.append(part.events, to: part.stream) }
    }
  }
}
