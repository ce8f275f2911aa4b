import Annals

/// The outcome of one stored payload in one version: events or an error.
enum Outcome: Sendable {
  /// An event and its place.
  struct Part: Equatable, Sendable {
    let position: Position
    let stream: StreamName
    let revision: Revision
    let path: [UInt32]
    /// The event in the form in which its version stores it.
    let form: StoredForm
  }

  /// These events; empty if a rule drops the entry.
  case events([Part])
  /// An error with the message of a store, and the step that caused it if known.
  case refused(AnnalsError.Code, message: String, place: String?)

  /// Whether the other outcome is the same.
  func agrees(with other: Outcome) -> Bool {
    switch (self, other) {
    case (.events(let left), .events(let right)): left == right
    case (.refused(let left, let leftMessage, let leftPlace), .refused(let right, let message, let place)):
      // The message contains the version under which the payload was stored; the place does not.
      if let leftPlace, let place {
        left == right && leftPlace == place
      } else {
        left == right && leftMessage == message
      }
    case (.events, .refused), (.refused, .events): false
    }
  }

  /// Whether the outcome of a store whose entries a plan has moved to other streams is the same except for
  /// streams.
  ///
  /// Dropped events are not checked, because the plan may drop events on the way. The pass itself compares
  /// both logs.
  func agreesButForStreams(with other: Outcome) -> Bool {
    switch (self, other) {
    case (_, .events(let parts)) where parts.isEmpty: true
    case (.events(let left), .events(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy {
          $0.position == $1.position && $0.path == $1.path && $0.form == $1.form
        }
    // The message contains the stream.
    case (.refused(let left, _, _), .refused(let right, _, _)): left == right
    case (.events, .refused), (.refused, .events): false
    }
  }

  /// The bytes of the outcome. Outcomes that agree have the same bytes in every process.
  var bytes: [UInt8] {
    switch self {
    case .events(let parts):
      parts.flatMap { part in
        "event \(part.position) \(part.stream) \(part.revision) \(part.path) \(part.form.type) \(part.form.payload.hex)\n"
          .utf8
      }
    case .refused(let code, let message, let place): Array("refused \(code) \(place ?? message)\n".utf8)
    }
  }
}

extension Outcome: CustomStringConvertible {
  /// The events in words, one after the other, or the error.
  var description: String { lines.joined(separator: ", ") }

  /// The events in words, or the error.
  var lines: [String] {
    switch self {
    case .events(let parts) where parts.isEmpty: ["dropped"]
    case .events(let parts):
      parts.map { part in
        part.path.isEmpty ? ValueText.text(of: part.form) : "\(part.path) \(ValueText.text(of: part.form))"
      }
    case .refused(let code, let message, let place): ["refused \(code): \(place ?? message)"]
    }
  }
}

extension PlanPipeline {
  /// Returns the outcome of `form`, after `past`.
  func outcome(of form: StoredForm, at origin: Origin, past: UnstoredPast? = nil) -> Outcome {
    let lifted: [Entry<Event>]
    do throws(UpcastRefusal) { lifted = try entries(of: form, at: origin, past: past) } catch {
      return .refused(error.error.code, message: error.error.message, place: error.place)
    }
    return outcome(of: lifted)
  }

  /// Returns the outcome of these entries, in the form in which their version stores them.
  func outcome(of entries: [Entry<Event>]) -> Outcome {
    var parts: [Outcome.Part] = []
    for entry in entries {
      do throws(AnnalsError) {
        parts.append(
          Outcome.Part(
            position: entry.position, stream: entry.stream, revision: entry.revision, path: entry.path,
            form: try form(of: entry.event)))
      } catch {
        return .refused(error.code, message: error.message, place: error.message)
      }
    }
    return .events(parts)
  }
}
