internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// Why an entry has not become one of the next generation.
struct RewriteFailure: Error {
  /// What stops the pass.
  let error: AnnalsError
  /// What is alongside the payload where the entry is quarantined; `nil` if it cannot be, because the error
  /// does not come from the entry alone.
  let mark: QuarantineMark?

  /// An error that always stops the pass.
  init(_ error: AnnalsError) {
    self.error = error
    mark = nil
  }

  /// A payload that could not be upcast.
  init(_ failure: UpcastFailure, _ origin: Origin, to version: SchemaVersion) {
    error = AnnalsError(failure, origin)
    let isOfEntry = error.code == .malformed || error.code == .ruleFailed
    var cause = failure.description
    if case .ruleThrew(_, let thrown) = failure.failure { cause = cause.withholding(thrown) }
    mark = isOfEntry ? QuarantineMark(from: failure.version, to: version, cause: cause) : nil
  }

  /// A record that goes into a group which cannot be folded.
  init(
    unfolded kind: KindRegistry.Kind, endingAt end: Position, _ origin: Origin, to version: SchemaVersion
  ) {
    let cause = "it is folded at position \(end), which cannot be upcast"
    error = AnnalsError(
      .ruleFailed,
      "position \(origin.position), stream '\(origin.stream)', revision \(origin.revision): \(cause)",
      details: AnnalsError.Details {
        $0.position = origin.position
        $0.stream = origin.stream
        $0.revision = origin.revision
        $0.type = kind.row.name
        $0.version = kind.version
      })
    mark = QuarantineMark(from: kind.version, to: version, cause: cause)
  }

  /// A payload that was upcast to an event which has no encoding.
  init(
    _ failure: CodingFailure, _ type: String, _ origin: Origin, from: SchemaVersion?,
    to version: SchemaVersion
  ) {
    let cause = "a '\(type)' of version \(version) has no encoding: \(failure)"
    error = AnnalsError(
      .malformed,
      "position \(origin.position), stream '\(origin.stream)', revision \(origin.revision): \(cause)",
      details: AnnalsError.Details {
        $0.position = origin.position
        $0.stream = origin.stream
        $0.revision = origin.revision
        $0.type = type
        $0.version = version
      }, underlying: failure)
    mark = QuarantineMark(from: from, to: version, cause: cause)
  }
}

extension CompiledPlan {
  /// Returns an event that a pass writes as it is stored; `nil` if that is as it is.
  ///
  /// - Parameter opened: People whose values were decrypted for it.
  func sealed(
    _ payload: Span<UInt8>, ofCase index: Int, besides opened: OpenedSubjects
  ) throws(RewriteFailure) -> [UInt8]? {
    do throws(AnnalsError) {
      return try sealed(payload, as: written[index], isNew: false, besides: opened)
    } catch {
      throw RewriteFailure(error)
    }
  }
}
