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
  private var room: [UInt8] = []

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

  /// What `entry` delivers.
  func sum(
    of entry: borrowing LentEntry, _ reader: StoreReader
  ) throws(AnnalsError) -> EventDigest.Sum {
    var sum = EventDigest.Sum()
    sum.entries = 1
    guard let lifting else {
      add(.stored, entry, [], entry.bytes, to: &sum)
      return sum
    }
    if !entry.header.flags.contains(.stub) {
      do throws(Setback) {
        try add(entry, lifting, reader, to: &sum)
      } catch {
        guard isQuarantining, error.mark != nil else { throw error.error }
        // Of an entry with parts, those before the one that failed were counted.
        sum = EventDigest.Sum()
        sum.entries = 1
        add(.unreadable, entry, [], Span(), to: &sum)
        return sum
      }
    }
    if sum.events == 0 { add(.nothing, entry, [], Span(), to: &sum) }
    return sum
  }

  private func add(
    _ entry: borrowing LentEntry, _ lifting: PayloadLifting, _ reader: StoreReader,
    to sum: inout EventDigest.Sum
  ) throws(Setback) {
    var setback: Setback?
    var total = sum
    do throws(AnnalsError) {
      let origin = try origins.origin(of: entry, reader)
      if let payload = entry.payload {
        do throws(Setback) {
          try lifting.lift(payload, fates.fate(of: entry.kind, entry.position), origin)
        } catch {
          setback = error
          throw error.error
        }
        addDelivered(lifting.delivery, entry, to: &total)
      } else {
        try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
          var origin = origin
          origin.path = path
          do throws(Setback) { try lifting.lift(payload, fates.fate(of: kind, entry.position), origin) } catch
          {
            setback = error
            throw error.error
          }
          addDelivered(lifting.delivery, entry, to: &total)
        }
      }
    } catch {
      throw setback ?? Setback(error)
    }
    sum = total
  }

  private func addDelivered(
    _ delivery: EncodedDelivery, _ entry: borrowing LentEntry, to sum: inout EventDigest.Sum
  ) {
    let bytes = delivery.bytes
    for (index, part) in delivery.parts.enumerated() {
      add(
        .event, entry, part.path + [UInt32(truncatingIfNeeded: part.caseIndex)],
        bytes.span.extracting(delivery.range(of: index)), to: &sum)
      sum.events &+= 1
    }
  }

  /// Adds the hash of an entry's coordinates and of what it delivers.
  private func add(
    _ mark: Mark, _ entry: borrowing LentEntry, _ path: [UInt32], _ payload: Span<UInt8>,
    to sum: inout EventDigest.Sum
  ) {
    var room: [UInt8] = []
    swap(&room, &self.room)
    defer { swap(&room, &self.room) }
    room.removeAll(keepingCapacity: true)
    room.append(mark.rawValue)
    let header = entry.header
    for number in [entry.position.rawValue, header.stream.rawValue, header.revision.rawValue] {
      room.append(littleEndian: number)
    }
    room.append(littleEndian: header.time)
    room.append(header.flags.contains(.id) ? 1 : 0)
    room.append(entry.bytes.extracting(header.id))
    room.append(littleEndian: UInt32(truncatingIfNeeded: path.count))
    for index in path { room.append(littleEndian: index) }
    room.append(payload)
    // Any key will do, as long as it is always the same.
    let hash = StreamHash(room.span, key: (0, 0))
    sum.low &+= hash.low
    sum.high &+= hash.high
  }
}

extension FateTable {
  /// What becomes of kinds where nothing is rewritten: all of them are lifted.
  init(reading kinds: KindRegistry, _ reach: PlanReach) {
    let fates = kinds.kinds.values.map { kind in
      var payload: KindFate.Payload
      var entered: CompiledPlan.Entrance?
      do throws(MissingStep) {
        let entrance = try reach.entrance(of: kind, in: kinds)
        entered = entrance
        payload = .lifted(entrance)
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
