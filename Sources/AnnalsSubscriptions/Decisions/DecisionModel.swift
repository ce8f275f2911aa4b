public import AnnalsSchema

/// The facts on which a decision is made, folded from the events of any streams that match a query.
///
/// ```swift
/// struct Booking: DecisionModel {
///   let course: String
///   let student: String
///   var freeSeats = 0
///   var courses = 0
///
///   mutating func apply(_ entry: Entry<SchoolV1.Event>) {
///     switch entry.event {
///     case .courseOffered(let offer): freeSeats += offer.seats
///     case .enrolled(let enrolment):
///       if enrolment.course == course { freeSeats -= 1 }
///       if enrolment.student == student { courses += 1 }
///     }
///   }
/// }
/// ```
///
/// A model is made for one decision. It is a value whose properties name the subject, and hold the facts as
/// they are before the first event. No snapshot of it is kept. For the state of one stream that is loaded
/// repeatedly, use an ``Aggregate``.
public protocol DecisionModel<Event>: Sendable {
  /// The events of the plan's current version.
  associatedtype Event: SchemaEvent
  /// Folds the next event that matches the query into the facts. It must depend on nothing else: no clock, no
  /// randomness, no store.
  mutating func apply(_ entry: Entry<Event>) throws
}

/// An aggregate as the model of a decision.
struct AggregateModel<A: Aggregate>: DecisionModel {
  var state = A.initial

  mutating func apply(_ entry: Entry<A.Event>) throws { try A.apply(entry, to: &state) }
}
