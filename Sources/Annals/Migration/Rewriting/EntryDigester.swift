#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Works out what entries deliver, for one thread, through the same gate as reads.
final class EntryDigester {
  /// What is put before an entry's or event's bytes.
  private enum Mark: UInt8 {
    case event = 0
    case nothing = 1
    case unreadable = 2
    case stored = 3
  }

  private let reach: PlanReach?
  private let lifting: PayloadLifting?
  private let isQuarantining: Bool
  private var origins: EntryOrigin
  private var fates = FateTable([], written: [])
  /// How many kinds, and after how many activations, ``fates`` are of.
  private var known: (kinds: Int, epoch: UInt64)?

  /// - Parameters:
  ///   - reach: The plan; `nil` where entries are compared as they are stored.
  ///   - isQuarantining: Whether entries that cannot be lifted count as such; otherwise they are errors.
  init(_ reach: PlanReach?, log: UUID, isQuarantining: Bool) {
    self.reach = reach
    lifting = reach.map { PayloadLifting($0.plan) }
    self.isQuarantining = isQuarantining
    origins = EntryOrigin(log: log)
  }

  /// Takes the kinds of the snapshot that the next entries are read from.
  func enter(_ kinds: KindRegistry) {
    guard let reach, known.map({ $0 != (kinds.kinds.count, kinds.epoch) }) ?? true else { return }
    fates = FateTable(reading: kinds, reach)
    known = (kinds.kinds.count, kinds.epoch)
  }

  /// Adds what `entry` delivers.
  func add(
    _ entry: borrowing LentEntry, _ reader: StoreReader, to sum: inout EventDigest.Sum
  ) throws(AnnalsError) {
    let header = entry.header
    sum.entries &+= 1
    guard let lifting else { return add(.stored, entry, entry.bytes, to: &sum) }
    if header.flags.contains(.stub) { return add(.nothing, entry, Span(), to: &sum) }
    // What is carried is delivered as it is stored, so its bytes say what it is.
    if header.flags.isDisjoint(with: [.parts, .extensions]), let number = fates.carried(header.kind) {
      sum.events &+= 1
      return add(.event, entry, entry.body, caseIndex: Int(number) - 1, to: &sum)
    }
    // Of an entry with parts, those before one that fails are not counted.
    let before = sum
    do throws(Setback) {
      try lift(entry, lifting, reader, to: &sum)
    } catch {
      guard isQuarantining, error.mark != nil else { throw error.error }
      sum = before
      return add(.unreadable, entry, Span(), to: &sum)
    }
    if sum.events == before.events { add(.nothing, entry, Span(), to: &sum) }
  }

  private func lift(
    _ entry: borrowing LentEntry, _ lifting: PayloadLifting, _ reader: StoreReader,
    to sum: inout EventDigest.Sum
  ) throws(Setback) {
    var setback: Setback?
    do throws(AnnalsError) {
      let origin = try origins.origin(of: entry, reader)
      if let payload = entry.payload {
        do throws(Setback) {
          try lifting.lift(payload, fates.fate(of: entry.kind, entry.position), origin)
        } catch {
          setback = error
          throw error.error
        }
        addDelivered(lifting.delivery, entry, to: &sum)
      } else {
        try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
          var origin = origin
          origin.path = path
          do throws(Setback) { try lifting.lift(payload, fates.fate(of: kind, entry.position), origin) } catch
          {
            setback = error
            throw error.error
          }
          addDelivered(lifting.delivery, entry, to: &sum)
        }
      }
    } catch {
      throw setback ?? Setback(error)
    }
  }

  private func addDelivered(
    _ delivery: EncodedDelivery, _ entry: borrowing LentEntry, to sum: inout EventDigest.Sum
  ) {
    let content = delivery.content
    for index in content.parts.indices {
      add(
        .event, entry, content.bytes.span.extracting(content.range(of: index)),
        path: content.parts[index].path, caseIndex: content.parts[index].caseIndex, to: &sum)
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
    hash.mix(header.stream.rawValue)
    hash.mix(header.revision.rawValue)
    hash.mix(UInt64(bitPattern: header.time))
    hash.mix(header.flags.contains(.id) ? UInt64(Checksum.crc32c(entry.bytes.extracting(header.id))) + 1 : 0)
    hash.mix(UInt64(path.count))
    for index in path { hash.mix(UInt64(index)) }
    hash.mix(UInt64(caseIndex))
    hash.mix(UInt64(payload.count))
    hash.mix(UInt64(Checksum.crc32c(payload)))
    sum.low &+= hash.low
    sum.high &+= hash.high
  }
}

extension FateTable {
  /// What becomes of kinds where nothing is rewritten: all are lifted but those that are delivered as they are stored.
  ///
  /// The number that payloads are carried to is that of the case, counted from 1.
  init(reading kinds: KindRegistry, _ reach: PlanReach) {
    let fates = kinds.kinds.values.map { kind in
      var payload: KindFate.Payload
      var entered: CompiledPlan.Entrance?
      do throws(MissingStep) {
        let entrance = try reach.entrance(of: kind, in: kinds)
        entered = entrance
        let record = entrance.isNewer ? nil : reach.plan.carried(kinds.recordKind(kind), from: entrance)
        payload = record.map { .carried(UInt32($0) + 1) } ?? .lifted(entrance)
      } catch {
        payload = .unreadable(error)
      }
      return KindFate(
        kind: kind, number: kind.number, stub: kind.number, payload: payload, entrance: entered,
        mayBeSetAside: true)
    }
    self.init(fates, written: [])
  }

  /// What becomes of a kind, whose absence is damage.
  func fate(of kind: UInt32, _ position: Position) throws(Setback) -> KindFate {
    do throws(AnnalsError) { return try fate(of: kind, at: position) } catch { throw Setback(error) }
  }
}
