extension EventLog {
  /// Appends payloads as they are, in one call, each to the stream of its origin with the id, the metadata and the time of it.
  ///
  /// - Parameter entries: The payloads in the order of their positions; positions and revisions are given by the log.
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
    return try await append(call.finish())
  }
}
