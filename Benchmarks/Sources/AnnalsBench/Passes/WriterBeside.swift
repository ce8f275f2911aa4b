import Annals
import Synchronization
import TypedSchemas

/// Appends one durable event after the other, and how long each took.
struct WriterBeside: Sendable {
  /// One append.
  struct Call: Sendable {
    let begin, end: ContinuousClock.Instant
    var time: Duration { begin.duration(to: end) }
  }

  let store: EventStore<OneUpcast>
  let streams: Int

  /// Whether a writer is to end: a cancelled task would not only end it but let its last append fail.
  private final class End: Sendable {
    let isAsked = Atomic(false)
  }

  private func append(until end: End) async throws -> [Call] {
    var calls: [Call] = []
    let event = TypedLog.event
    while !end.isAsked.load(ordering: .relaxed) {
      let stream = StreamName(SampleEvent.name(ofStream: calls.count % streams))
      let begin = ContinuousClock.now
      try await store.append { call in
        call.append(
          [
            .setLogged(
              .init(
                title: event.title, reps: event.reps, sets: event.sets, weight: event.weight,
                notes: event.notes, at: event.at))
          ], to: stream)
      }
      calls.append(Call(begin: begin, end: .now))
    }
    return calls
  }

  /// Runs `body` while appends go on, and gives what it found and the appends that touch that time.
  func beside<Found: Sendable>(
    _ body: () async throws -> Found
  ) async throws -> (found: Found, calls: [Call]) {
    let begin = ContinuousClock.now
    let asked = End()
    let writer = Task { try await append(until: asked) }
    let result: Result<Found, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    let end = ContinuousClock.now
    asked.isAsked.store(true, ordering: .relaxed)
    let calls = try await writer.value.filter { $0.end >= begin && $0.begin <= end }
    return (try result.get(), calls)
  }
}
