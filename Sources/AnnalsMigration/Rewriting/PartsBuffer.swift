internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsStore

/// The parts that an entry becomes, as they are stored after their count; its storage is used again.
struct PartsBuffer {
  /// The parts' bytes.
  private(set) var bytes: [UInt8] = []
  /// How many there are.
  private(set) var count = 0
  /// Kind and payload's bytes of each, for the census.
  private var sizes: [(kind: UInt32, bytes: Int)] = []
  /// What has become no part, with the kind that it was stored under.
  private(set) var drops: [(kind: UInt32, drop: NotedDrop)] = []
  /// Whether a fold has taken any into a later entry.
  private(set) var hasFolded = false

  /// Forgets everything but the storage.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
    count = 0
    if !drops.isEmpty { drops.removeAll(keepingCapacity: true) }
    hasFolded = false
  }

  /// Adds a part.
  mutating func add(_ kind: UInt32, _ path: [UInt32], _ payload: Span<UInt8>) {
    bytes.append(varint: UInt64(kind))
    bytes.append(varint: UInt64(path.count))
    for index in path { bytes.append(varint: UInt64(index)) }
    bytes.append(varint: UInt64(payload.count))
    bytes.append(payload)
    sizes.append((kind, payload.count))
    count += 1
  }

  /// Adds all that was delivered.
  ///
  /// - Parameters:
  ///   - kind: The kind that it was stored under.
  ///   - written: The kinds by case.
  ///   - sealing: Whose plan encrypts personal fields; `nil` if no record has any.
  mutating func add(
    _ delivery: EncodedEventBuffer, from kind: UInt32, _ written: [UInt32], _ sealing: PlanResolver?
  ) throws(RewriteFailure) {
    for drop in delivery.drops { drops.append((kind, drop)) }
    if delivery.hasFolded { hasFolded = true }
    let content = delivery.content
    for (index, part) in content.parts.enumerated() {
      let payload = content.bytes.span.extracting(content.range(of: index))
      let path = content.path(of: index)
      if let sealed = try sealing?.plan.sealed(
        payload, ofCase: part.caseIndex, besides: delivery.openedSubjects)
      {
        add(written[part.caseIndex], path, sealed.span)
      } else {
        add(written[part.caseIndex], path, payload)
      }
    }
  }

  /// Adds the parts to the census, as those of the entry numbered `index`.
  func count(in tally: inout KindTally, at index: Int) {
    for (kind, bytes) in sizes { tally.add(kind, bytes: bytes, at: index) }
  }
}
