extension PlanRewriter {
  /// Notes the fields of a payload that the rewrite loses.
  func lookForLosses(in payload: Span<UInt8>, _ fate: KindFate) {
    guard let entrance = fate.entrance else { return }
    do throws(CodingFailure) {
      for path in try entrance.payload.undeclared(in: payload) { losses.append((fate.kind, path)) }
    } catch {
      // A fold does not read every payload that it takes; what cannot be read fails where it is folded.
    }
  }

  /// Counts the fields that the entry at `position` loses.
  ///
  /// - Throws: ``Setback`` with code `undeclaredFields` where nobody has given one up: it was appended after
  ///   the pass had looked at the log.
  func countLosses(at position: Position, in changes: inout RunChanges) throws(Setback) {
    var unnamed = UndeclaredTally()
    for (kind, path) in losses {
      if drops.contains(kind, path) {
        changes.add(lost: kind, path, at: position)
      } else {
        unnamed.add(kind, path, at: position, isGivenUp: false)
      }
    }
    guard unnamed.isEmpty else {
      throw Setback(AnnalsError(undeclared: unnamed.fields, "a migration pass"))
    }
  }
}
