public import AnnalsCoding

/// A buffer for a migration pass: it encodes each event at once, as the plan's current version stores it.
///
/// Its storage is reused. The methods that add events are inlinable, so that they are specialised where the
/// event's type is known, as in ``TypedEventBuffer``.
@usableFromInline package final class EncodedEventBuffer: EventBuffer {
  /// A delivered event.
  @usableFromInline package struct Part {
    /// The number of its case.
    @usableFromInline package let caseIndex: Int
    /// The path of the part.
    @usableFromInline package let path: [UInt32]
    /// The end of its payload.
    @usableFromInline let end: Int

    @usableFromInline init(caseIndex: Int, path: [UInt32], end: Int) {
      self.caseIndex = caseIndex
      self.path = path
      self.end = end
    }
  }

  /// The delivered events. They are one value, so that adding an event checks uniqueness only once.
  @usableFromInline package struct Content {
    /// The payloads, one after the other.
    @usableFromInline package var bytes: [UInt8] = []
    /// The events in the order of their delivery.
    @usableFromInline package var parts: [Part] = []
    /// The first event that has no encoding, if there is one.
    @usableFromInline package var failure: (caseIndex: Int, cause: CodingFailure)?

    /// Appends an encoded event.
    @inlinable mutating func add<Event: SchemaEvent>(_ event: Event, _ path: [UInt32]) {
      do throws(CodingFailure) {
        try event.encode(into: &bytes)
      } catch {
        if failure == nil { failure = (event.caseIndex, error) }
      }
      parts.append(Part(caseIndex: event.caseIndex, path: path, end: bytes.count))
    }

    /// Removes everything except the storage.
    mutating func clear() {
      bytes.removeAll(keepingCapacity: true)
      parts.removeAll(keepingCapacity: true)
      // Checking costs less than setting, and this is rare.
      if failure != nil { failure = nil }
    }

    /// Returns the range of the payload of the event numbered `index`.
    package func range(of index: Int) -> Range<Int> {
      (index == 0 ? 0 : parts[index - 1].end)..<parts[index].end
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
    super.init(notingDrops: ())
  }

  /// Appends an encoded event.
  @inlinable @inline(never) func add<Event: SchemaEvent>(_ event: Event, _ origin: Origin) {
    content.add(event, origin.path)
    count &+= 1
  }

  @usableFromInline package override func keep(first count: Int) {
    content.parts.removeSubrange(count...)
    content.bytes.removeSubrange((content.parts.last?.end ?? 0)...)
    self.count = count
  }

  /// The case of the one delivered event, if there is one and no rule has split anything.
  package var single: Int? {
    content.parts.count == 1 && content.parts[0].path.isEmpty ? content.parts[0].caseIndex : nil
  }

  /// Removes everything except the storage.
  package func clear() {
    content.clear()
    count = 0
    // Checking costs less than setting, and this is rare.
    if !drops.isEmpty { drops.removeAll(keepingCapacity: true) }
    if hasFolded { hasFolded = false }
  }
}
