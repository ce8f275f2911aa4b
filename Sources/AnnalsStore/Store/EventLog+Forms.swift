package import AnnalsCoding
package import AnnalsLog
package import AnnalsSchema
internal import AnnalsShapes

extension EventLog {
  /// Appends events by name and without a version.
  ///
  /// - Throws: ``AnnalsError`` as the other forms.
  @discardableResult
  nonisolated(nonsending) package func appendUnversioned<Schema: VersionedSchema>(
    _ schema: Schema.Type, _ body: (inout AppendCall<NewEvent<Schema.Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    let pipeline = PlanPipeline<Schema.Event>(
      plan: try CompiledPlan(MigrationChain<Schema, Schema>(), StageContexts()))
    var call = AppendCall<NewEvent<Schema.Event>>(
      time: .now, maximumPayload: options.maximumPayload
    ) { (new, stream) throws(AnnalsError) in
      let form = try pipeline.form(of: new.event).named()
      var time: Int64?
      if let date = new.time {
        guard let timestamp = Timestamp(date) else {
          throw AnnalsError(.malformed, "stream '\(stream)': a time lies within the years 1 to 9999")
        }
        time = timestamp.microseconds
      }
      return AppendRequest.Event(
        record: RecordKind(type: form.kind.type, version: nil), payload: form.payload,
        id: try new.id?.checked(),
        metadata: try new.metadata.encoded(), time: time)
    }
    body(&call)
    // An error returns to the caller's actor only if it is caught here, as in EventLog.append.
    do throws(AnnalsError) { return try await append(call.finish().request) } catch { throw error }
  }

  /// Appends payloads unchanged, in one call. Each goes to the stream of its origin, with the id, metadata
  /// and time of that origin.
  ///
  /// - Parameter entries: The payloads in the order of their positions. The log assigns positions and
  ///   revisions.
  /// - Throws: ``AnnalsError`` as the other forms.
  @discardableResult
  package func append(
    _ entries: [(form: StoredForm, origin: Origin)]
  ) async throws(AnnalsError) -> Appended {
    var call = AppendCall<(form: StoredForm, origin: Origin)>(
      time: .now, maximumPayload: options.maximumPayload
    ) { (entry, _) throws(AnnalsError) in
      AppendRequest.Event(
        record: entry.form.kind, payload: entry.form.payload, id: entry.origin.id,
        metadata: try entry.origin.metadata.encoded(), time: entry.origin.timestamp.microseconds)
    }
    for entry in entries { call.append([entry], to: entry.origin.stream) }
    return try await append(call.finish().request)
  }
}
