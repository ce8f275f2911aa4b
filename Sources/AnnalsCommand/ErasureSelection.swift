public import Annals

/// A selection of events by their contents, which `erase --where` of a plan's command offers by name.
///
/// ```swift
/// await MaintenanceCommand<ShopPlan>.main(
///   selections: [
///     ErasureSelection("customer") { entry, id in
///       if case .ordered(let order) = entry.event { order.customer == id } else { false }
///     }
///   ])
/// ```
///
/// `shop erase STORE --where customer=7 --by jane --because 'request 4711'` then erases the orders of the
/// customer with id 7, in all streams.
public struct ErasureSelection<Event: SchemaEvent>: Sendable {
  /// The name before the equals sign, without one in it.
  public let name: String
  /// Whether an event is meant, given the text after the equals sign.
  let includes: @Sendable (Entry<Event>, String) -> Bool

  /// Creates a selection.
  ///
  /// - Parameters:
  ///   - name: The name by which a command line calls it.
  ///   - includes: Returns whether an event is meant. It receives each event in the plan's current version,
  ///     and the text after the equals sign.
  public init(_ name: String, includes: @escaping @Sendable (Entry<Event>, String) -> Bool) {
    self.name = name
    self.includes = includes
  }
}

/// The selections that a command was given, without the type of their events.
protocol KnownSelections: Sendable {}

/// The selections of a plan's events that a command was given.
struct PlanSelections<Event: SchemaEvent>: KnownSelections {
  let selections: [ErasureSelection<Event>]

  /// Returns the selection called `name`.
  func named(_ name: String) -> ErasureSelection<Event>? {
    selections.first { $0.name == name }
  }
}
