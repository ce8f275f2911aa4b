public import AnnalsCoding
package import AnnalsShapes

/// The destination of upcast events. Only the library creates buffers.
///
/// One thread uses a buffer. What each event reads or changes is in one `SerialValue`: it is read or written
/// at once, and no rule runs meanwhile.
public class EventBuffer {
  @usableFromInline struct State {
    @usableFromInline var count = 0
    var drops: [NotedDrop] = []
    var hasFolded = false
    var opened = OpenedSubjects()
    var notesSubjects = false
    var withholds = false
    var past: (any StreamPast)?

    @usableFromInline init() {}
  }
  @usableFromInline final let state = SerialValue(State())
  /// The number of events in the buffer.
  @inlinable package final var count: Int {
    get { state.value.count }
    set { state.value.count = newValue }
  }

  /// Whether the buffer is an ``EncodedEventBuffer``: asking for other types first takes longer.
  @usableFromInline final let isEncoding: Bool
  /// Whether the buffer records why events were dropped.
  @usableFromInline final let notesDrops: Bool
  /// The rules that delivered nothing, one for each dropped event, if the buffer records them.
  package final var drops: [NotedDrop] {
    _read { yield state.value.drops }
    _modify { yield &state.value.drops }
  }
  /// Whether a fold has combined a record into a later one, if the buffer records that.
  package final var hasFolded: Bool {
    get { state.value.hasFolded }
    set { state.value.hasFolded = newValue }
  }

  /// Whose personal values were decrypted for the events that are being delivered, if they are noted.
  package final var openedSubjects: OpenedSubjects {
    _read { yield state.value.opened }
    _modify { yield &state.value.opened }
  }

  /// Whether ``openedSubjects`` are noted. A buffer for many entries would collect them all.
  package final var notesSubjects: Bool {
    get { state.value.notesSubjects }
    set { state.value.notesSubjects = newValue }
  }

  /// Whether everyone counts as forgotten, and rules get no contexts.
  package final var withholds: Bool {
    get { state.value.withholds }
    set { state.value.withholds = newValue }
  }

  /// The earlier entries of the stream of the entries that are upcast; `nil` if they are in no stream.
  package final var past: (any StreamPast)? {
    get { state.value.past }
    set { state.value.past = newValue }
  }
  /// The lookups in the tables of group ends that were needed so far.
  private final var ends: [GroupEnds] = []

  /// The buffer for a payload that is being converted, reused for each.
  private final var scratch: [UInt8] = []

  @usableFromInline init() {
    isEncoding = false
    notesDrops = false
  }

  /// Creates an ``EncodedEventBuffer``, which records why events were dropped.
  init(encoding: Void) {
    isEncoding = true
    notesDrops = true
  }

  /// Records that a rule delivered nothing.
  @usableFromInline @inline(never) final func note(_ site: RuleSite, _ reason: String) {
    drops.append(NotedDrop(site: site, reason: reason))
  }

  /// Records that a fold has combined a record into a later one.
  final func note(_ fold: FoldSite) {
    hasFolded = true
    drops.append(NotedDrop(site: fold.site, reason: fold.reason, cause: .fold))
  }

  /// Returns the lookup in a table of group ends.
  final func ends(in table: ContextTable) -> GroupEnds {
    if let known = ends.first(where: { $0.table === table }) { return known }
    let new = GroupEnds(table)
    ends.append(new)
    return new
  }

  /// Returns an empty buffer for a payload.
  final func borrowScratch() -> [UInt8] {
    // The buffer is moved out, so that a rule which upcasts inside another one gets its own.
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    return taken
  }

  /// Keeps the buffer for the next payload.
  final func giveBack(_ room: inout [UInt8]) {
    room.removeAll(keepingCapacity: true)
    swap(&room, &scratch)
  }

  /// Removes all but the first `count` events, so that an entry that failed part-way delivers nothing.
  @usableFromInline package func keep(first count: Int) {}

  /// Whether the buffer is for events of the plan's current version.
  var takesCurrent: Bool { false }

  /// Returns the events after the first `count` as their records encode them; `nil` if one has no encoding.
  ///
  /// - Parameter forms: The personal fields of each case. The bytes of events without any are left out.
  func delivered(after count: Int, _ forms: [PersonalForm?]) -> [DeliveredPayload]? { nil }

  /// Puts the event that `payload` encodes in the place of the one numbered `index`.
  ///
  /// - Parameters:
  ///   - origin: The origin of the event.
  ///   - arrival: The step of its record in the plan's current version.
  func replace(
    _ index: Int, with payload: [UInt8], _ origin: Origin, _ arrival: PayloadStep
  ) throws(StepFailure) {}

  /// Returns an empty buffer of the same type.
  func another() -> EventBuffer { EventBuffer() }
}

@available(*, unavailable) extension EventBuffer: Sendable {}

/// The reason for which an event was dropped.
package struct NotedDrop {
  /// The rule that delivered nothing.
  package let site: RuleSite
  /// The rule's reason.
  package let reason: String
  /// The cause of the removal.
  package var cause = RemovalCause.rule
}

/// The entries that one or more upcasts delivered, in order. Its storage is reused.
///
/// The methods for single entries are inlinable, so that they are specialised where the event's type is
/// known. As generic code they took four times as long as decoding the event.
@usableFromInline package final class TypedEventBuffer<Event: SchemaEvent>: EventBuffer {
  @usableFromInline let delivered = SerialValue<[Entry<Event>]>([])
  /// The delivered entries that are not taken yet.
  @inlinable package var entries: [Entry<Event>] {
    _read { yield delivered.value }
    _modify { yield &delivered.value }
  }

  @inlinable package override init() {
    super.init()
  }

  @usableFromInline package override func keep(first count: Int) {
    entries.removeSubrange(count...)
    self.count = count
  }

  override var takesCurrent: Bool { true }

  override func delivered(after count: Int, _ forms: [PersonalForm?]) -> [DeliveredPayload]? {
    var payloads: [DeliveredPayload] = []
    for entry in entries[count...] {
      var bytes: [UInt8] = []
      if forms[entry.event.caseIndex] != nil {
        do throws(CodingFailure) { try entry.event.encode(into: &bytes) } catch { return nil }
      }
      payloads.append(DeliveredPayload(caseIndex: entry.event.caseIndex, path: entry.path, bytes: bytes))
    }
    return payloads
  }

  override func replace(
    _ index: Int, with payload: [UInt8], _ origin: Origin, _ arrival: PayloadStep
  ) throws(StepFailure) {
    let room = TypedEventBuffer()
    try arrival.run(payload.span, origin, room)
    entries[index] = room.entries[0]
  }

  override func another() -> EventBuffer { TypedEventBuffer() }
}

extension EventBuffer {
  /// Appends an event of the newest version.
  @inlinable func deliver<Event: SchemaEvent>(_ event: consuming Event, _ origin: Origin) {
    if isEncoding, let delivery = self as? EncodedEventBuffer { return delivery.add(event, origin) }
    if let delivery = self as? TypedEventBuffer<Event> {
      delivery.entries.append(Entry(event, from: origin))
      count &+= 1
      return
    }
    guard let group = self as? TypedGroupBuffer<Event> else { wrongBuffer(for: Event.self) }
    group.add(event, origin)
  }
}

/// A plan's steps deliver only events of its newest schema, and their caller has a buffer for that schema.
@usableFromInline @inline(never) func wrongBuffer(for event: Any.Type) -> Never {
  preconditionFailure("a plan delivered \(event) to a buffer made for another plan")
}
