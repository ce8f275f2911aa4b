#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Opening a store until it has served a read of one stream, if it knows streams, and one durable append.
struct Open: Scenario {
  let unit = Unit.milliseconds
  /// What the store held before.
  let filling: Filling
  /// The number of entries that a process appended afterwards before it was killed; 0 for a closed store.
  let tail: Int
  /// Whether the files' pages are thrown out of memory before.
  let isCold: Bool

  var name: String { (tail > 0 ? "open-killed" : "open-closed") + (isCold ? "-cold" : "-warm") }

  /// Nothing is promised of a disk. The figures are for the stores of the scale `full`.
  var target: Target? { isCold ? nil : .atMost(tail > 0 ? 25 : 1.5) }

  var parameters: [String: Int] {
    [
      "streams": filling.streams, "entries": filling.entries + tail, "tail": tail,
      "payload": SampleEvent.payloadBytes,
    ]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    let filled = try await site.stores.store(of: subject, filling, killedAfter: tail)
    let copy = site.directory.appendingPathComponent("copy")
    try FileManager.default.copyItem(at: filled, to: copy)
    if isCold { try PageCache.throwOut(copy) }
    return { [self] repetition in
      if tail > 0, repetition > 0 {
        // What a killed process left is cleared away by the first open.
        try FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: filled, to: copy)
      }
      if isCold { try PageCache.throwOut(copy) } else { try PageCache.writeOut(copy) }
      var events = RoundRobin(streams: filling.streams)
      let event = try S.prepare(events.batch(of: 1))
      let start = ContinuousClock.now
      try await Self.use(S.self, event, in: copy, expecting: filling.entriesPerStream)
      let time = start.duration(to: .now)
      try S.waitUntilClosed(in: copy)
      return Measurement(rate: time / .milliseconds(1), latencies: [time])
    }
  }

  /// Opens a store, reads the first stream, which has `count` entries or more, and appends an event.
  ///
  /// In a function of its own, so that the subject is released when this returns.
  static func use<S: Subject>(
    _: S.Type, _ event: S.Batch, in directory: URL, expecting count: Int
  ) async throws {
    let subject = try S(openingIn: directory)
    if let reader = subject as? any StreamReader {
      let found = try reader.read(stream: 0)
      guard found >= count else {
        throw WrongWork(description: "\(S.name) read \(found) entries of a stream that has more")
      }
    }
    try await subject.append(event)
  }
}
