package import AnnalsCoding
package import AnnalsShapes

/// The conversions that store records of a plan's current schema, a bridge, for programs of the previous
/// version.
package struct CompiledBridge: Sendable {
  /// The forms by case of the current event.
  package let forms: [BridgeForm]
  /// The downcasts by case of the current event.
  let rules: [Int: LoweringStep]
  /// The lost and the personal fields, by case of the current event.
  let fields: [Int: BridgedFields]
  /// The version whose records are converted.
  let newer: SchemaOutline
  /// The previous version.
  let older: SchemaOutline
  /// The kinds of the older records, by case of the older event.
  let written: [RecordKind]
  /// The steps that read the older payloads, by case of the older event.
  let steps: [PayloadStep]

  /// Whether some records are stored in another form before the bridge is active.
  package var needsLowering: Bool { !forms.allSatisfy(\.isStoredAsIs) }
}

/// The fields of a record that is stored as one of the previous version.
struct BridgedFields: Sendable {
  /// The numbers of the fields that its downcast loses.
  var lost: Set<Int> = []
  /// The older fields that may hold its personal fields, by case of the older event.
  var personal: [Int: PersonalHolders] = [:]
}

/// The reason why an event cannot be stored for programs of the previous version.
package enum LoweringFailure: Error {
  /// A value of it has no encoding.
  case malformed(CodingFailure)
  /// The older version cannot express it. The reason has nothing of the payload.
  case unrepresentable(type: String, older: SchemaVersion, reason: String, cause: (any Error)? = nil)
}

extension CompiledPlan {
  /// Returns the record type and payload that store `event`, of the current schema, while programs of the
  /// previous version need their form.
  ///
  /// - Parameter origin: The origin of the entry as known before it is stored.
  package func encodeShared<Event: SchemaEvent>(
    _ event: Event, from origin: @autoclosure () -> Origin
  ) throws(LoweringFailure) -> (record: RecordKind, payload: [UInt8]) {
    let (record, payload) = try encodeNewest(event)
    guard let bridge else { return (record, payload) }
    switch bridge.forms[event.caseIndex] {
    case .readable, .later, .impossible: return (record, payload)
    case .lowered(let target, let down, let up):
      let lowered = try bridge.lower(payload, of: record.type.text, to: target, down, up)
      return (bridge.written[target], lowered)
    case .rule:
      let lowered = try bridge.lower(payload, of: record.type.text, byRuleFor: event.caseIndex)
      try bridge.mustBeEncrypted(in: lowered, payload, of: event.caseIndex)
      try bridge.mustComeBack(lowered, as: payload, of: event.caseIndex, origin())
      return (bridge.written[lowered.caseIndex], lowered.payload)
    }
  }

  /// Returns the record type and payload that store `event` in its own form.
  package func encodeNewest(
    _ event: some SchemaEvent
  ) throws(LoweringFailure) -> (record: RecordKind, payload: [UInt8]) {
    do throws(CodingFailure) { return try encode(event) } catch { throw .malformed(error) }
  }

  /// Returns whether the previous version has no equivalent for records stored as `kind`.
  package func hasNoOlderForm(_ kind: RecordKind) -> Bool {
    guard let bridge, kind.version == current.version, let index = current.index(of: kind.type) else {
      return false
    }
    if case .later = bridge.forms[index] { return true }
    return false
  }
}

extension CompiledBridge {
  private func failure(_ type: String, _ reason: String, _ cause: (any Error)? = nil) -> LoweringFailure {
    .unrepresentable(type: type, older: older.version, reason: reason, cause: cause)
  }

  /// Converts a payload to the older version, from which it must read back equal.
  fileprivate func lower(
    _ payload: [UInt8], of type: String, to target: Int, _ down: Conversion, _ up: Conversion
  ) throws(LoweringFailure) -> [UInt8] {
    var lowered: [UInt8] = []
    var back: [UInt8] = []
    do throws(CodingFailure) {
      try down.apply(payload.span, to: &lowered)
      // A conversion leaves unchanged parts alone, so a null may occur where the older type allows none.
      try steps[target].check(lowered.span)
      try up.apply(lowered.span, to: &back)
    } catch {
      throw failure(type, "a value of it does not fit there", error)
    }
    guard back == payload else {
      throw failure(type, "it would not come back from there as it is, because something of it has no place")
    }
    return lowered
  }

  /// Converts a payload with a downcast.
  fileprivate func lower(
    _ payload: [UInt8], of type: String, byRuleFor caseIndex: Int
  ) throws(LoweringFailure) -> LoweredRecord {
    let lowered: LoweredRecord?
    do { lowered = try rules[caseIndex]?(payload) } catch {
      throw failure(type, "its Downcast threw \(Swift.type(of: error))", error)
    }
    guard let lowered, written.indices.contains(lowered.caseIndex) else {
      throw failure(type, "its Downcast says that there is no way to say it")
    }
    return lowered
  }

  /// Throws if a downcast record would have personal values in the clear, or under another person's key.
  ///
  /// The plan's check cannot know it, because the downcast chooses the older record for each event.
  fileprivate func mustBeEncrypted(
    in lowered: LoweredRecord, _ payload: [UInt8], of caseIndex: Int
  ) throws(LoweringFailure) {
    guard let personal = newer.records[caseIndex].shape?.personal else { return }
    let (lost, holders) = (fields[caseIndex]?.lost ?? [], fields[caseIndex]?.personal[lowered.caseIndex])
    let unheld = personal.fields.filter { !lost.contains($0.index) && holders?[$0.index] == nil }
    if unheld.isEmpty { return }
    let ranges: [Range<Int>]
    do throws(CodingFailure) { ranges = try personal.ranges(in: payload.span) } catch {
      throw .malformed(error)
    }
    let clear = unheld.filter { payload[ranges[$0.index].lowerBound] != PersonalForm.null }
    if clear.isEmpty { return }
    let names = clear.map { "'\($0.name)'" }.joined(separator: ", ")
    let (type, name) = (newer.records[caseIndex].name.text, older.records[lowered.caseIndex].name.text)
    throw failure(
      type,
      "its Downcast makes a '\(name)' of it, where \(names) would not be encrypted with the key of the same person"
    )
  }

  /// Throws unless the stage restores a downcast record, except for the fields that its downcast loses.
  fileprivate func mustComeBack(
    _ lowered: LoweredRecord, as payload: [UInt8], of caseIndex: Int, _ origin: Origin
  ) throws(LoweringFailure) {
    let (type, name) = (newer.records[caseIndex].name.text, older.records[lowered.caseIndex].name.text)
    let delivery = EncodedEventBuffer()
    do throws(StepFailure) {
      try steps[lowered.caseIndex].run(lowered.payload.span, origin, delivery)
    } catch {
      throw failure(
        type, "its Downcast makes a '\(name)' of it, which could not be read: \(error)",
        UpcastFailure(version: older.version, type: name, failure: error).cause)
    }
    let content = delivery.content
    guard let part = content.parts.first, content.parts.count == 1 else {
      let count = content.parts.isEmpty ? "no event" : "\(content.parts.count) events"
      throw failure(type, "its Downcast makes a '\(name)' of it, of which the stage makes \(count)")
    }
    guard part.caseIndex == caseIndex else {
      let other = newer.records[part.caseIndex].name.text
      throw failure(type, "its Downcast makes a '\(name)' of it, of which the stage makes a '\(other)'")
    }
    guard content.bytes != payload else { return }
    let changed = newer.records[caseIndex].shape.map {
      $0.shape.fieldsDiffering(payload.span, content.bytes.span)
    }
    guard let changed else {
      throw failure(type, "its Downcast makes a '\(name)' of it, which would come back as another '\(type)'")
    }
    let lost = changed.filter { self.fields[caseIndex]?.lost.contains($0.number) != true }
    guard !lost.isEmpty else { return }
    let fields = lost.map { "'\($0.name)'" }.joined(separator: ", ")
    throw failure(
      type,
      "its Downcast makes a '\(name)' of it, which would come back with another \(fields); name in 'losing:' what the older version cannot hold"
    )
  }
}
