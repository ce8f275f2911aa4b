internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Computes what entries deliver, for one thread, through the same gate as reads.
final class EntryDigester {
  /// What is put before an entry's or event's bytes.
  private enum Mark: UInt8 {
    case event = 0
    case nothing = 1
    case unreadable = 2
    case stored = 3
  }

  private let source: RewriteSource
  private let reach: PlanResolver?
  private let upcaster: PayloadUpcaster?
  private let isQuarantining: Bool
  // One thread uses it, and what computes an origin does not know the digester.
  private let origins: SerialValue<EntryOrigin>
  private var fates = FateTable([], written: [])
  /// Whether streams count by their names, and revisions do not.
  private let isByName: Bool
  /// Finds out where entries go; `nil` where they stay.
  private let router: StreamRouter?
  /// What counts as the place of the entry at hand in its stream.
  private var place: (stream: UInt64, revision: UInt64) = (0, 0)
  /// How many kinds, and after how many activations, ``fates`` are of.
  private var known: (kinds: Int, epoch: UInt64)?
  /// Computes tags again; `nil` where no rule does.
  private let retagger: EntryRetagger?
  /// The tags that the events of the entry at hand get; `nil` if they keep the stored ones.
  private var newTags: [EventTag]?

  /// - Parameters:
  ///   - reach: The plan; `nil` if entries are compared as they are stored.
  ///   - source: The generation that they are read from.
  ///   - isQuarantining: Whether entries that cannot be upcast count as such; otherwise they are errors.
  ///   - isByName: Whether streams count by their names, and revisions do not.
  ///   - router: Finds out where entries go; `nil` where they stay.
  ///   - retagger: Computes tags again; `nil` where no rule does.
  init(
    _ reach: PlanResolver?, _ source: RewriteSource, isQuarantining: Bool, isByName: Bool = false,
    _ router: StreamRouter? = nil, _ retagger: EntryRetagger? = nil
  ) {
    self.retagger = retagger
    self.source = source
    self.reach = reach
    self.isByName = isByName
    self.router = router
    upcaster = reach.map { PayloadUpcaster($0.plan) }
    self.isQuarantining = isQuarantining
    origins = SerialValue(EntryOrigin(log: source.log))
  }

  /// Takes the kinds of the snapshot that the next entries are read from.
  func enter(_ kinds: KindRegistry) {
    router?.enter(kinds)
    retagger?.enter(kinds)
    guard let reach, known.map({ $0 != (kinds.kinds.count, kinds.epoch) }) ?? true else { return }
    fates = FateTable(reading: kinds, reach)
    upcaster?.delivery.past = source.past(kinds, reach)
    known = (kinds.kinds.count, kinds.epoch)
  }

  /// Takes the probable stream of the entry after the next one that is added.
  func expect(_ stream: Position) { origins.value.prefetch(stream) }

  /// Adds what `entry` delivers.
  func add(
    _ entry: borrowing LentEntry, _ reader: StoreReader, to sum: inout EventDigest.Sum
  ) throws(AnnalsError) {
    let header = entry.header
    sum.entries &+= 1
    newTags = nil
    if try goesMissing(entry, reader) || source.hidden.covers(header) {
      return add(.nothing, entry, Span(), to: &sum)
    }
    guard let upcaster else { return addStored(entry, to: &sum) }
    if header.flags.contains(.stub) { return add(.nothing, entry, Span(), to: &sum) }
    // Nothing of it is delivered, but its payload stays.
    if !header.flags.contains(.parts), fates.isRetained(header.kind) {
      return add(.stored, entry, entry.body, to: &sum)
    }
    let isRetagged = try retagger?.concerns(entry) ?? false
    // An unchanged payload is delivered as it is stored, so its bytes are compared.
    if try entry.isPlain, let number = fates.carried(header.kind) {
      if isRetagged {
        do throws(RewriteFailure) { try upcast(entry, upcaster, reader) {} } catch {
          guard isQuarantining, error.mark != nil else { throw error.error }
          return add(.unreadable, entry, Span(), to: &sum)
        }
        newTags = try retagger?.tags(of: entry, reader)
      }
      sum.events &+= 1
      return add(.event, entry, entry.body, caseIndex: Int(number) - 1, to: &sum)
    }
    // Of an entry with parts, those before one that fails are not counted.
    let before = sum
    do throws(RewriteFailure) {
      // The tags count with each event, so they are needed first. A payload that fails here fails below.
      if isRetagged { newTags = try retagged(entry, upcaster, reader) }
      try upcast(entry, upcaster, reader) { addEvents(upcaster.delivery, entry, to: &sum) }
    } catch {
      guard isQuarantining, error.mark != nil else { throw error.error }
      sum = before
      return add(.unreadable, entry, Span(), to: &sum)
    }
    if sum.events == before.events { add(.nothing, entry, Span(), to: &sum) }
  }

  /// Takes down the place of an entry in its stream.
  ///
  /// - Returns: Whether the entry is dropped on the way to another stream.
  private func goesMissing(
    _ entry: borrowing LentEntry, _ reader: StoreReader
  ) throws(AnnalsError) -> Bool {
    guard isByName else {
      place = (entry.header.stream.rawValue, entry.header.revision.rawValue)
      return false
    }
    let route = try router?.route(entry, reader)
    let name = if let route { route.new } else { try origins.value.name(of: entry.stream, reader) }
    // Under a key of its own, so that the digest is the same in every process.
    let hash = StreamHash(name.text.utf8.span, key: (0, 0))
    place = (hash.low, hash.high)
    return route?.reason != nil
  }

  private func upcast(
    _ entry: borrowing LentEntry, _ upcaster: PayloadUpcaster, _ reader: StoreReader, _ body: () -> Void
  ) throws(RewriteFailure) {
    let origin: Origin
    do throws(AnnalsError) { origin = try origins.value.origin(of: entry, reader) } catch {
      throw RewriteFailure(error)
    }
    try upcaster.upcast(entry, fates, origin, body)
  }

  /// Returns the tags of an entry whose payloads can all be upcast.
  private func retagged(
    _ entry: borrowing LentEntry, _ upcaster: PayloadUpcaster, _ reader: StoreReader
  ) throws(RewriteFailure) -> [EventTag]? {
    try upcast(entry, upcaster, reader) {}
    do throws(AnnalsError) { return try retagger?.tags(of: entry, reader) } catch {
      throw RewriteFailure(error)
    }
  }

  /// Adds what an entry of one payload delivers, which is upcast already.
  ///
  /// - Parameter tags: The tags that the events get; `nil` if they keep the stored ones.
  func add(
    _ delivery: EncodedEventBuffer, tags: [EventTag]?, of entry: borrowing LentEntry,
    to sum: inout EventDigest.Sum
  ) {
    newTags = tags
    sum.entries &+= 1
    place = (entry.header.stream.rawValue, entry.header.revision.rawValue)
    if delivery.count == 0 { return add(.nothing, entry, Span(), to: &sum) }
    addEvents(delivery, entry, to: &sum)
  }

  /// Adds an entry of one payload that delivers `event`, encoded.
  ///
  /// - Parameter tags: The tags that the event gets; `nil` if it keeps the stored ones.
  func add(
    _ event: Span<UInt8>, caseIndex: Int, tags: [EventTag]?, of entry: borrowing LentEntry,
    to sum: inout EventDigest.Sum
  ) {
    newTags = tags
    sum.entries &+= 1
    sum.events &+= 1
    place = (entry.header.stream.rawValue, entry.header.revision.rawValue)
    add(.event, entry, event, caseIndex: caseIndex, to: &sum)
  }

  /// Adds an entry that cannot be upcast.
  func add(unreadable entry: borrowing LentEntry, to sum: inout EventDigest.Sum) {
    sum.entries &+= 1
    place = (entry.header.stream.rawValue, entry.header.revision.rawValue)
    add(.unreadable, entry, Span(), to: &sum)
  }

  /// Adds an entry as it is stored: its checksum, which was compared when it was read, is that of its bytes.
  ///
  /// The links of tags differ between generations, so their texts are compared in place of them.
  private func addStored(_ entry: borrowing LentEntry, to sum: inout EventDigest.Sum) {
    if source.nameless.contains(entry.position.rawValue) { return add(.nothing, entry, Span(), to: &sum) }
    if let bytes = entry.bytesWithoutTags {
      return add(.stored, entry, bytes.span, caseIndex: bytes.count, to: &sum)
    }
    add(.stored, entry, entry.bytes.extracting(EntryHeader.checksum), caseIndex: entry.bytes.count, to: &sum)
  }

  private func addEvents(
    _ delivery: EncodedEventBuffer, _ entry: borrowing LentEntry, to sum: inout EventDigest.Sum
  ) {
    if let single = delivery.single {
      let bytes = delivery.content.bytes
      add(.event, entry, bytes.span.extracting(single.range), caseIndex: single.caseIndex, to: &sum)
      sum.events &+= 1
      return
    }
    let content = delivery.content
    for index in content.parts.indices {
      add(
        .event, entry, content.bytes.span.extracting(content.range(of: index)),
        path: content.path(of: index), caseIndex: content.parts[index].caseIndex, to: &sum)
      sum.events &+= 1
    }
  }

  /// Adds the hash of an entry's coordinates and of what it delivers.
  @inline(__always)
  private func add(
    _ mark: Mark, _ entry: borrowing LentEntry, _ payload: Span<UInt8>, path: [UInt32] = [],
    caseIndex: Int = 0, to sum: inout EventDigest.Sum
  ) {
    let header = entry.header
    var hash = MixedHash(UInt64(mark.rawValue))
    hash.mix(entry.position.rawValue)
    hash.mix(place.stream)
    hash.mix(place.revision)
    hash.mix(UInt64(bitPattern: header.time))
    hash.mix(header.flags.contains(.id) ? UInt64(Checksum.crc32c(entry.bytes.extracting(header.id))) + 1 : 0)
    hash.mix(UInt64(path.count))
    if !path.isEmpty { for index in path { hash.mix(UInt64(index)) } }
    hash.mix(UInt64(caseIndex))
    hash.mix(UInt64(payload.count))
    hash.mix(UInt64(Checksum.crc32c(payload)))
    if mark == .event, let newTags {
      if let tags = newTags.digest { hash.mix(tags) }
    } else if mark != .nothing, let tags = entry.tagDigest {
      hash.mix(tags)
    }
    sum.low &+= hash.low
    sum.high &+= hash.high
  }
}

extension FateTable {
  /// What becomes of kinds where nothing is rewritten: all are upcast but those that are delivered as they
  /// are stored.
  ///
  /// The number of an unchanged payload is that of its case, counted from 1.
  convenience init(reading kinds: KindRegistry, _ reach: PlanResolver) {
    let fates = kinds.kinds.values.map { kind in
      var payload: KindFate.Payload
      var entered: CompiledPlan.Entrance?
      do throws(MissingStep) {
        let entrance = try reach.entrance(of: kind, in: kinds)
        entered = entrance
        // Equal values are encrypted to other bytes, so such payloads are compared as they are delivered.
        let isPlain = kind.shape?.personal == nil && !entrance.isNewer
        let record = isPlain ? reach.plan.carried(kinds.recordKind(kind), from: entrance) : nil
        payload = record.map { .carried(UInt32($0) + 1) } ?? .upcast(entrance)
      } catch {
        payload = .unreadable(error)
      }
      return KindFate(
        kind: kind, number: kind.number, stub: kind.number, payload: payload, entrance: entered,
        mayBeSetAside: true,
        isRetained: entered.map { reach.plan.steps[$0.step].retainedBy != nil } ?? false)
    }
    self.init(fates, written: [])
  }

  /// What becomes of a kind, whose absence is damage.
  func fate(of kind: UInt32, _ position: Position) throws(RewriteFailure) -> KindFate {
    do throws(AnnalsError) { return try fate(of: kind, at: position) } catch { throw RewriteFailure(error) }
  }
}
