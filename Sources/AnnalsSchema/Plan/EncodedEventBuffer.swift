public import AnnalsCoding
internal import AnnalsShapes

/// A buffer for a migration pass: it encodes each event at once, as the plan's current version stores it.
///
/// Its storage is reused. The methods that add events are inlinable, so that they are specialised where the
/// event's type is known, as in ``TypedEventBuffer``.
@usableFromInline package final class EncodedEventBuffer: EventBuffer {
  /// A delivered event; its path is elsewhere, so that adding and removing one counts no references.
  @usableFromInline package struct Part: BitwiseCopyable {
    /// The number of its case.
    @usableFromInline package let caseIndex: Int
    /// The end of its payload.
    @usableFromInline let end: Int

    @usableFromInline init(caseIndex: Int, end: Int) {
      self.caseIndex = caseIndex
      self.end = end
    }
  }

  /// The delivered events. They are one value, so that adding an event checks uniqueness only once.
  @usableFromInline package struct Content {
    /// The payloads, one after the other, after some that are not needed any more.
    @usableFromInline package var bytes: [UInt8] = []
    /// Where the payload of the first event begins.
    private var start = 0
    /// The events in the order of their delivery.
    @usableFromInline package var parts: [Part] = []
    /// The paths of the events; shorter than ``parts`` if those of the last ones are empty.
    private var paths: [[UInt32]] = []
    /// The first event that has no encoding, if there is one.
    @usableFromInline package var failure: (caseIndex: Int, cause: CodingFailure)?

    /// Appends an encoded event.
    @inlinable mutating func add<Event: SchemaEvent>(_ event: Event, _ origin: Origin) {
      do throws(CodingFailure) {
        try event.encode(into: &bytes)
      } catch {
        if failure == nil { failure = (event.caseIndex, error) }
      }
      if let rare = origin.rare, !rare.path.isEmpty { note(rare.path) }
      parts.append(Part(caseIndex: event.caseIndex, end: bytes.count))
    }

    /// Notes the path of the event that is appended next.
    @usableFromInline @inline(never) mutating func note(_ path: [UInt32]) {
      while paths.count < parts.count { paths.append([]) }
      paths.append(path)
    }

    /// The bytes of earlier events after which their storage is used again: emptying an array each time takes
    /// longer than encoding a field.
    private static let room = 8 << 10

    /// Removes everything except the storage.
    @inline(__always)
    mutating func clear() {
      start = bytes.count
      if start > Self.room {
        bytes.removeAll(keepingCapacity: true)
        start = 0
      }
      if parts.count == 1 { parts.removeLast() } else { parts.removeAll(keepingCapacity: true) }
      if !paths.isEmpty { paths.removeAll(keepingCapacity: true) }
      // Checking costs less than setting, and this is rare.
      if failure != nil { failure = nil }
    }

    /// Returns the range of the payload of the event numbered `index`.
    package func range(of index: Int) -> Range<Int> {
      (index == 0 ? start : parts[index - 1].end)..<parts[index].end
    }

    /// Returns the path of the event numbered `index`.
    package func path(of index: Int) -> [UInt32] { index < paths.count ? paths[index] : [] }

    /// Puts another payload in the place of that of the event numbered `index`.
    mutating func replace(_ index: Int, with payload: [UInt8]) {
      let range = range(of: index)
      bytes.replaceSubrange(range, with: payload)
      let difference = payload.count - range.count
      for later in parts[index...].indices {
        parts[later] = Part(caseIndex: parts[later].caseIndex, end: parts[later].end + difference)
      }
    }

    /// Removes all but the first `count` events.
    mutating func keep(first count: Int) {
      parts.removeSubrange(count...)
      if paths.count > count { paths.removeSubrange(count...) }
      bytes.removeSubrange((parts.last?.end ?? start)...)
    }
  }

  // An event that encodes itself during an access cannot reach the buffer.
  @usableFromInline let encoded = SerialValue(Content())
  /// The delivered events.
  @inlinable package var content: Content {
    _read { yield encoded.value }
    _modify { yield &encoded.value }
  }

  package override init() {
    super.init(encoding: ())
  }

  /// Appends an encoded event.
  @inlinable @inline(never) func add<Event: SchemaEvent>(_ event: Event, _ origin: Origin) {
    content.add(event, origin)
    count &+= 1
  }

  @usableFromInline package override func keep(first count: Int) {
    content.keep(first: count)
    self.count = count
  }

  override var takesCurrent: Bool { true }

  override func delivered(after count: Int, _ forms: [PersonalForm?]) -> [DeliveredPayload]? {
    if hasFailed { return nil }
    return (count..<self.count).map { index in
      let number = content.parts[index].caseIndex
      let bytes = forms[number] == nil ? [] : Array(content.bytes[content.range(of: index)])
      return DeliveredPayload(caseIndex: number, path: content.path(of: index), bytes: bytes)
    }
  }

  override func replace(
    _ index: Int, with payload: [UInt8], _ origin: Origin, _ arrival: PayloadStep
  ) throws(StepFailure) {
    content.replace(index, with: payload)
  }

  override func another() -> EventBuffer { EncodedEventBuffer() }

  /// The case of the one delivered event and the place of its payload in the content's bytes, if there is one
  /// event and no rule has split anything.
  package var single: (caseIndex: Int, range: Range<Int>)? {
    guard content.parts.count == 1, content.path(of: 0).isEmpty else { return nil }
    return (content.parts[0].caseIndex, content.range(of: 0))
  }

  /// Whether an event has no encoding.
  package var hasFailed: Bool { content.failure != nil }

  /// Removes everything except the storage.
  package func clear() {
    content.clear()
    count = 0
    // Checking costs less than setting, and this is rare.
    if !drops.isEmpty { drops.removeAll(keepingCapacity: true) }
    if hasFolded { hasFolded = false }
    if !openedSubjects.living.isEmpty { openedSubjects = OpenedSubjects() }
  }
}
