public import Annals

extension Given {
  /// Folds the events, which are of the plan's current version, into the rows of a projection.
  ///
  /// ```swift
  /// try Given([.joined(.init(player: 1, name: "Ann")), .left(.init(player: 1))])
  ///   .folded(by: Roster.self)
  ///   .thenNone(of: Roster.Player.self)
  /// ```
  public func folded<P: Projection>(by projection: P.Type) -> WhenFolded<P> where P.Event == Event {
    let entries = events.map { ProjectionTrial<P>.entry($0.event, at: $0.origin) }
    return WhenFolded { () throws -> ProjectionTrial<P> in
      let trial = try ProjectionTrial<P>()
      try trial.fold(entries)
      return trial
    }
  }
}

/// The rows of a projection for given events, to be compared with expected ones.
public struct WhenFolded<P: Projection>: Sendable {
  private let trial: @Sendable () throws -> ProjectionTrial<P>

  init(_ trial: @escaping @Sendable () throws -> ProjectionTrial<P>) {
    self.trial = trial
  }

  /// Checks that the projection has exactly these rows of a type, in the order of their keys.
  ///
  /// Rows are compared in their stored form: by every bit of every field.
  ///
  /// - Throws: ``RowMismatch`` with both sides as text, and ``AnnalsError`` with the error of
  ///   ``Projection/apply(_:to:)``.
  public func then<R: ProjectionRow>(_ expected: [R]) throws {
    let trial = try trial()
    let found = try trial.payloads(of: R.self)
    var payloads: [[UInt8]] = []
    for row in expected {
      var payload: [UInt8] = []
      try row.encode(into: &payload)
      payloads.append(payload)
    }
    guard payloads != found else { return }
    throw RowMismatch(
      "the projection \(P.self) has other rows of \(R.self)\n  expected:\(Self.list(expected))\n  found:\(Self.list(try trial.rows(of: R.self)))"
    )
  }

  /// Checks that the projection has no row of a type.
  ///
  /// - Throws: As ``then(_:)``.
  public func thenNone<R: ProjectionRow>(of type: R.Type) throws {
    try then([] as [R])
  }

  /// Checks that the projection refuses the events.
  ///
  /// - Parameter code: The code of the error that ``Projection/apply(_:to:)`` threw. The default accepts any
  ///   error.
  /// - Throws: ``RowMismatch`` if they are folded, or refused for another reason.
  public func thenFails(_ code: AnnalsError.Code? = nil) throws {
    do { _ = try trial() } catch let error as AnnalsError {
      let cause = (error.underlying as? AnnalsError)?.code
      guard let code, code != error.code, code != cause else { return }
      throw RowMismatch("the projection \(P.self) fails with \(error), and \(code) was expected")
    }
    throw RowMismatch("the projection \(P.self) folds events that it was expected to refuse")
  }

  private static func list<R>(_ rows: [R]) -> String {
    rows.isEmpty ? "\n    no rows" : rows.map { "\n    \($0)" }.joined()
  }
}

/// The error for a projection whose rows differ from those that a test expects.
public struct RowMismatch: Error, CustomStringConvertible {
  /// The expected and the actual rows, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
