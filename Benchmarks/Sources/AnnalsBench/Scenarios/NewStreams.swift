/// The anonymous memory of a process that appends events, each to a new stream, at its peak.
struct NewStreams: Scenario {
  let name = "new-streams"
  let unit = Unit.mebibytes
  /// How many events are appended.
  let entries: Int

  var parameters: [String: Int] { ["entries": entries, "payload": SampleEvent.payloadBytes] }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    return { [entries] _ in
      try await Workplace.lend(inside: site.directory) { directory in
        Measurement(rate: try WeighedAppends.run(in: directory, entries: entries))
      }
    }
  }
}
