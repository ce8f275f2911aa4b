internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema

/// A projection without its type, as the code that folds several projections uses it.
struct ErasedProjection<Event: SchemaEvent>: Sendable {
  /// The projection's type.
  let type: ObjectIdentifier
  let outline: ProjectionOutline
  let selection: EventQuery<Event>
  let upcasts: [RowUpcast]
  /// Whether it takes erased events out of its rows itself.
  let erases: Bool
  /// Makes the value that folds into a file.
  let folding: @Sendable (ViewFile, ViewBudget, LogPlaces) -> ViewFolding<Event>

  init<P: Projection>(_ projection: P.Type) throws(AnnalsError) where P.Event == Event {
    type = ObjectIdentifier(projection)
    let outline = try ProjectionOutline(projection)
    self.outline = outline
    selection = P.events
    upcasts = P.upcasts
    erases = P.eraser != nil
    folding = { ViewFold<P>($0, outline, $1, $2) }
  }

  /// The inputs of the projection with a plan.
  func inputs(_ plan: CompiledPlan) -> ProjectionInputs {
    let records = plan.current.records
    return ProjectionInputs(
      plan, cases: selection.cases, tags: selection.tagText { records[$0].name.text })
  }

  /// The name by which a store knows the projection.
  var name: String { outline.name }
}
