package import AnnalsCoding

/// Where lifted events go. Only the library makes one.
public class Sink {
  /// How many events are in it.
  @usableFromInline package final var count = 0

  /// Whether it is asked why events have become none.
  @usableFromInline final let notesDrops: Bool
  /// The rules that gave nothing, once for each event that has become none, if that is asked.
  package final var drops: [NotedDrop] = []
  /// Whether a fold has taken a record into a later one, if that is asked.
  package final var hasFolded = false

  /// The way back to what stands before the entries that are lifted; `nil` where they stand in no stream.
  package final var past: (any StreamPast)?
  /// Looks into the tables of group ends that were needed so far.
  private final var ends: [GroupEnds] = []

  /// Room for a payload that is being converted, used again for each.
  private final var scratch: [UInt8] = []

  @usableFromInline init() {
    notesDrops = false
  }

  /// A sink that is asked why events became none.
  init(notingDrops: Void) {
    notesDrops = true
  }

  /// Takes down that a rule gave nothing.
  @usableFromInline @inline(never) final func note(_ site: RuleSite, _ reason: String) {
    drops.append(NotedDrop(site: site, reason: reason))
  }

  /// Takes down that a fold has taken a record into a later one.
  final func note(_ fold: FoldSite) {
    hasFolded = true
    drops.append(NotedDrop(site: fold.site, reason: fold.reason, cause: .fold))
  }

  /// The look into a table of group ends.
  final func ends(in table: ContextTable) -> GroupEnds {
    if let known = ends.first(where: { $0.table === table }) { return known }
    let new = GroupEnds(table)
    ends.append(new)
    return new
  }

  /// Empty room for a payload.
  final func takeRoom() -> [UInt8] {
    // Taken out, so that a rule which lifts inside another has room of its own.
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    return taken
  }

  /// Keeps the room for the next payload.
  final func giveBack(_ room: inout [UInt8]) {
    room.removeAll(keepingCapacity: true)
    swap(&room, &scratch)
  }

  /// Forgets all but the first `count` events, so that an entry that failed half-way delivers nothing.
  @usableFromInline package func keep(first count: Int) {}
}

@available(*, unavailable) extension Sink: Sendable {}

/// Why an event has become none.
package struct NotedDrop {
  /// The rule that gave nothing.
  package let site: RuleSite
  /// The rule's reason.
  package let reason: String
  /// What removed the event.
  package var cause = RemovalCause.rule
}

/// The entries that one or more lifts delivered, in order; its storage is used again.
///
/// What handles single entries can be inlined, so that it is specialised where the event's type is known: as generic code it cost four times what
/// it takes to decode the event.
@usableFromInline package final class Delivery<Event: SchemaEvent>: Sink {
  /// What was delivered and is not taken yet.
  @usableFromInline package var entries: [Entry<Event>] = []

  @inlinable package override init() {
    super.init()
  }

  @usableFromInline package override func keep(first count: Int) {
    entries.removeSubrange(count...)
    self.count = count
  }

  /// Takes an entry out: the first one, or the last if `backwards`; `nil` where none is left.
  @inlinable package func take(backwards: Bool) -> Entry<Event>? {
    if count > 1 {
      // Turned around once, so that each is moved out from the end and none is copied.
      if !backwards { entries.reverse() }
      count = 1
    }
    return entries.popLast()
  }
}

extension Sink {
  /// Adds an event of the newest version.
  @inlinable func deliver<Event: SchemaEvent>(_ event: consuming Event, _ origin: Origin) {
    if let delivery = self as? Delivery<Event> {
      delivery.entries.append(Entry(event, from: origin))
      count &+= 1
      return
    }
    if let delivery = self as? EncodedDelivery { return delivery.add(event, origin) }
    guard let group = self as? GroupRoom<Event> else { wrongSink(for: Event.self) }
    group.add(event, origin)
  }
}

/// A plan's steps deliver events of its newest schema alone, and whoever runs them holds a sink for that schema.
@usableFromInline @inline(never) func wrongSink(for event: Any.Type) -> Never {
  preconditionFailure("a plan delivered \(event) to a sink made for another plan")
}
