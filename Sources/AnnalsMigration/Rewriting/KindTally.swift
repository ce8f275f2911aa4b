internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// What a run of entries adds to the census, by kind, and where each kind occurs first in it; its storage is
/// used again.
struct KindTally: Sendable {
  /// What the run has of one kind.
  struct Line: Sendable {
    /// The kind's number in the new generation.
    let kind: UInt32
    /// The number, in the run, of the first entry of the kind.
    let first: Int
    /// The addition to the census.
    var row = CensusRow()
  }

  /// The kinds in the order in which they occur.
  private(set) var lines: [Line] = []
  /// By a kind's number, where its line is, counted from 1; 0 where it has none.
  private var places: [Int32] = []

  /// Counts a delivered part of the entry numbered `index`.
  @inline(__always)
  mutating func add(_ kind: UInt32, bytes: Int, at index: Int) {
    lines[line(of: kind, at: index)].row.add(bytes: bytes)
  }

  /// Counts a stub.
  mutating func add(stub kind: UInt32, _ cause: UInt8, at index: Int) {
    let line = line(of: kind, at: index)
    if cause == RemovalCause.quarantined.rawValue {
      lines[line].row.quarantined += 1
    } else {
      lines[line].row.stubs += 1
    }
  }

  /// Counts a part that is quarantined.
  mutating func add(quarantined kind: UInt32, at index: Int) {
    lines[line(of: kind, at: index)].row.quarantined += 1
  }

  /// Notes a kind whose row the entry numbered `index` has, without an event of it.
  mutating func keep(_ kind: UInt32, at index: Int) { _ = line(of: kind, at: index) }

  /// Forgets everything but the storage.
  mutating func clear() {
    for line in lines { places[Int(line.kind)] = 0 }
    lines.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func line(of kind: UInt32, at index: Int) -> Int {
    if Int(kind) < places.count {
      let place = places[Int(kind)]
      if place > 0 { return Int(place) - 1 }
    }
    return open(kind, at: index)
  }

  private mutating func open(_ kind: UInt32, at index: Int) -> Int {
    // Kinds come from the registry, which has none above its maximum.
    if Int(kind) >= places.count {
      places.append(contentsOf: repeatElement(0, count: Int(kind) + 1 - places.count))
    }
    lines.append(Line(kind: kind, first: index))
    places[Int(kind)] = Int32(truncatingIfNeeded: lines.count)
    return lines.count - 1
  }
}
