internal import AnnalsCoding
internal import AnnalsSchema

/// What a projection is to those who fold it beside others: everything but its type.
struct ProjectionFace<Event: SchemaEvent>: Sendable {
  /// The projection's type.
  let type: ObjectIdentifier
  let outline: ProjectionOutline
  let selection: EventSelection<Event>
  let upcasts: [RowUpcast]
  /// Makes what folds into a file.
  let folding: @Sendable (ViewFile) -> ViewFolding<Event>

  init<P: Projection>(_ projection: P.Type) throws(AnnalsError) where P.Event == Event {
    type = ObjectIdentifier(projection)
    let outline = try ProjectionOutline(projection)
    self.outline = outline
    selection = P.events
    upcasts = P.upcasts
    folding = { ViewFold<P>($0, outline) }
  }

  /// The name by which a store knows the projection.
  var name: String { outline.name }
}
