public import AnnalsSchema

/// A selection of the event types that a projection or a subscription needs.
///
/// ```swift
/// static var events: EventSelection<Event> { [\.fileChanged, \.commitMade] }
/// ```
///
/// Entries of older versions are included where a rule can turn them into one of these types.
public struct EventSelection<Event: SchemaEvent>: Sendable, ExpressibleByArrayLiteral {
  /// The numbers of the selected cases; `nil` selects all.
  package let cases: Set<Int>?
  /// Whether each case is selected, by its number. Every event is looked up here, and a set would cost
  /// several times as much.
  private let flags: [Bool]

  private init(cases: Set<Int>?) {
    self.cases = cases
    flags = cases.map { cases in (0...(cases.max() ?? 0)).map { cases.contains($0) } } ?? []
  }

  /// Every event.
  public static var all: EventSelection { EventSelection(cases: nil) }

  /// Selects the events of the cases at these key paths.
  ///
  /// - Precondition: Each key path leads to a case of the schema.
  public init(arrayLiteral paths: PartialKeyPath<Event.Cases>...) {
    self.init(
      cases: Set(
        paths.map { path in
          guard let found = Event.cases[keyPath: path] as? any NumberedCase else {
            preconditionFailure("\(path) leads to no case of the schema")
          }
          return found.index
        }))
  }

  /// Whether the event of an entry is selected.
  package func includes(_ entry: borrowing Entry<Event>) -> Bool {
    if flags.isEmpty { return true }
    let index = entry.event.caseIndex
    return index < flags.count && flags[index]
  }
}
