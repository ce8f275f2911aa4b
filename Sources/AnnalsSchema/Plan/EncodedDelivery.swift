public import AnnalsCoding

/// Where a plan delivers for a migration pass: each event is encoded at once, as the plan's current version stores it.
///
/// Its storage is used again. What adds events can be inlined, so that it is specialised where the event's type is known, as in ``Delivery``.
@usableFromInline package final class EncodedDelivery: Sink {
  /// An event that was delivered.
  @usableFromInline package struct Part {
    /// The number of its case.
    @usableFromInline package let caseIndex: Int
    /// Which part of splits it is.
    @usableFromInline package let path: [UInt32]
    /// Where its payload ends.
    @usableFromInline let end: Int

    @usableFromInline init(caseIndex: Int, path: [UInt32], end: Int) {
      self.caseIndex = caseIndex
      self.path = path
      self.end = end
    }
  }

  /// What was delivered. One value, so that what adds to it looks once whether anybody else does.
  @usableFromInline package struct Content {
    /// The payloads, one behind the other.
    @usableFromInline package var bytes: [UInt8] = []
    /// The events in the order in which they were delivered.
    @usableFromInline package var parts: [Part] = []
    /// The first event that has no encoding, if there is one.
    @usableFromInline package var failure: (caseIndex: Int, cause: CodingFailure)?

    /// Encodes an event behind those that are there.
    @inlinable mutating func add<Event: SchemaEvent>(_ event: Event, _ path: [UInt32]) {
      do throws(CodingFailure) {
        try event.encode(into: &bytes)
      } catch {
        if failure == nil { failure = (event.caseIndex, error) }
      }
      parts.append(Part(caseIndex: event.caseIndex, path: path, end: bytes.count))
    }

    /// Forgets everything but the storage.
    mutating func clear() {
      bytes.removeAll(keepingCapacity: true)
      parts.removeAll(keepingCapacity: true)
      // To look costs less than to set, and this is rare.
      if failure != nil { failure = nil }
    }

    /// Where the payload of the event numbered `index` stands.
    package func range(of index: Int) -> Range<Int> {
      (index == 0 ? 0 : parts[index - 1].end)..<parts[index].end
    }
  }

  /// What was delivered.
  @usableFromInline package var content = Content()

  package override init() {
    super.init(notingDrops: ())
  }

  /// Encodes an event behind those that are there.
  @inlinable @inline(never) func add<Event: SchemaEvent>(_ event: Event, _ origin: Origin) {
    content.add(event, origin.path)
    count &+= 1
  }

  @usableFromInline package override func keep(first count: Int) {
    content.parts.removeSubrange(count...)
    content.bytes.removeSubrange((content.parts.last?.end ?? 0)...)
    self.count = count
  }

  /// Forgets everything but the storage.
  package func clear() {
    content.clear()
    count = 0
    // To look costs less than to set, and this is rare.
    if !drops.isEmpty { drops.removeAll(keepingCapacity: true) }
    hasFolded = false
  }
}
