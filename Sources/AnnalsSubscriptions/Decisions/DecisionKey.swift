package import AnnalsCoding

/// A name for which the decisions of one process take turns.
///
/// Two decisions of which one may make the other one's state old have a key in common. Turns only save
/// attempts: the condition of the append decides.
package enum DecisionKey: Hashable, Sendable {
  /// The stream of this name.
  case stream(StreamName)
  /// The events with this tag.
  case tag(EventTag)
  /// The events of the schema's case with this number, for queries without a tag.
  case type(Int)
  /// All events, for queries without a tag and without a type.
  case everything
}

extension DecisionKey: CustomStringConvertible {
  /// The key as messages name it.
  package var description: String {
    switch self {
    case .stream(let stream): "stream '\(stream)'"
    case .tag(let tag): "tag '\(tag)'"
    case .type(let number): "case \(number) of the schema"
    case .everything: "all events"
    }
  }
}
