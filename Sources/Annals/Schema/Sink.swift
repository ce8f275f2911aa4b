/// Where lifted events go. Only the library makes one.
public class Sink {
  /// How many events are in it.
  @usableFromInline final var count = 0

  /// Whether it is asked why an event has become none.
  @usableFromInline final let notesDrops: Bool
  /// The first rule that gave nothing, if that is asked.
  final var drop: NotedDrop?

  /// Room for a payload that is being converted, used again for each.
  private final var scratch: [UInt8] = []

  @usableFromInline init() {
    notesDrops = false
  }

  /// A sink that is asked why events became none.
  init(notingDrops: Void) {
    notesDrops = true
  }

  /// Takes down that a rule gave nothing, unless another one did so before.
  @usableFromInline @inline(never) final func note(_ site: RuleSite, _ reason: String) {
    if drop == nil { drop = NotedDrop(site: site, reason: reason) }
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
  @usableFromInline func keep(first count: Int) {}
}

@available(*, unavailable) extension Sink: Sendable {}

/// Why an event has become none.
struct NotedDrop {
  /// The rule that gave nothing.
  let site: RuleSite
  /// The rule's reason.
  let reason: String
}

/// The entries that one or more lifts delivered, in order; its storage is used again.
///
/// What handles single entries can be inlined, so that it is specialised where the event's type is known: as generic code it cost four times what
/// it takes to decode the event.
@usableFromInline final class Delivery<Event: SchemaEvent>: Sink {
  /// What was delivered and is not taken yet.
  @usableFromInline var entries: [Entry<Event>] = []

  @inlinable override init() {
    super.init()
  }

  @usableFromInline override func keep(first count: Int) {
    entries.removeSubrange(count...)
    self.count = count
  }

  /// Takes an entry out: the first one, or the last if `backwards`; `nil` where none is left.
  @inlinable func take(backwards: Bool) -> Entry<Event>? {
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
    guard let delivery = self as? EncodedDelivery else { wrongSink(for: Event.self) }
    delivery.add(event, origin)
  }
}

/// A plan's steps deliver events of its newest schema alone, and whoever runs them holds a sink for that schema.
@usableFromInline @inline(never) func wrongSink(for event: Any.Type) -> Never {
  preconditionFailure("a plan delivered \(event) to a sink made for another plan")
}
