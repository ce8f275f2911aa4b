public import AnnalsCoding
package import AnnalsShapes

/// What the events of a plan are stored as, if nothing but their own code is needed to encode them: no
/// attachment is noted, nothing is encrypted, and no other version reads them.
package struct DirectEvents: Sendable {
  /// Whether any record declares tags.
  package var haveTags = false
  /// The kind of the stored records, by case.
  fileprivate let kinds: [RecordKind]
  /// The number of each kind in the call's request; -1 before its first event.
  fileprivate var numbers: [Int]

  /// Creates the form of events whose cases are stored as these kinds.
  package init(_ kinds: [RecordKind]) {
    self.kinds = kinds
    numbers = Array(repeating: -1, count: kinds.count)
  }
}

// Events that are encoded by code which knows their type.
extension AppendCall {
  /// Whether events are added by ``add(_:case:tags:)``.
  @usableFromInline package var takesEncoded: Bool { direct != nil }

  /// Whether the events' records declare tags.
  @usableFromInline package var wantsTags: Bool { direct?.haveTags ?? false }

  /// Begins a part of the call, for encoded events that are added next.
  ///
  /// - Returns: Whether the call takes them; it has failed otherwise.
  @usableFromInline package mutating func begin(_ stream: StreamName, _ expected: Expectation) -> Bool {
    add(stream, expected) { _ in }
    return failure == nil
  }

  /// Adds an event to the part that was begun last.
  ///
  /// - Returns: Whether the call takes further events.
  @usableFromInline package mutating func add(
    _ payload: consuming [UInt8], case index: Int, tags: [EventTag]
  ) -> Bool {
    do throws(AnnalsError) {
      try request.add(payload, case: index, tags: tags, &direct, maximumPayload: maximumPayload)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Ends the call, because an event of the part that was begun last has no encoding.
  @usableFromInline package mutating func refuse(_ cause: CodingFailure) {
    let stream = request.parts.last?.stream ?? ""
    failure = AnnalsError(malformed: cause, what: "an event for stream '\(stream)'")
  }
}

extension AppendRequest {
  /// Adds an encoded event to the last part, after checking its size and its tags.
  fileprivate mutating func add(
    _ payload: consuming [UInt8], case index: Int, tags: [EventTag], _ direct: inout DirectEvents?,
    maximumPayload: Int
  ) throws(AnnalsError) {
    guard var number = direct?.numbers[index], let kind = direct?.kinds[index] else {
      throw AnnalsError(.wrongUse, "the call encodes its events itself, and takes none that are encoded")
    }
    try checkSizes(payload.count, 0, maximumPayload: maximumPayload, kind.type.text)
    try check(tags, kind.type.text)
    if number < 0 {
      number = try self.index(checking: kind)
      direct?.numbers[index] = number
    }
    add(record: number, payload, id: nil, metadata: [], time: time)
    tag(tags)
  }
}
