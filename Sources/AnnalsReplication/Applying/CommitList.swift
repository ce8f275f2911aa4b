#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Commits in the order of a log, which are added at the end, leave at the beginning, and are found by their
/// ids.
///
/// It is a list and an open hash table of places in it. Every call of a backlog is looked up, added and
/// removed once, and a dictionary of ids took several times as long.
struct CommitList {
  private struct Element {
    var sequence: UInt64
    var id: UUID.Halves
  }

  private var elements: [Element] = []
  /// The number of elements at the beginning that have left.
  private var start = 0
  /// The number of elements that have been removed from `elements`: the number of the first one there.
  private var base: UInt64 = 0
  /// For each commit that is found by its id one more than its number, at the first free place from that of
  /// its hash on; 0 is a free place. The count is a power of two.
  private var places: [UInt64] = []
  private var used = 0
  /// Ids come from other machines, so they must not decide alone where they are.
  private let seed = UUID.Halves(low: .random(in: .min ... .max), high: .random(in: .min ... .max))

  /// The number of commits.
  var count: Int { elements.count - start }

  /// The sequence of the commit at an index.
  func sequence(at index: Int) -> UInt64 { elements[start + index].sequence }

  /// Whether a commit with an id was added, and that first one is still there.
  func contains(_ id: UUID) -> Bool { place(of: id.halves) != nil }

  /// Adds a commit. An id that is there already leads to the earlier one.
  mutating func append(_ id: UUID, at sequence: UInt64) {
    let id = id.halves
    if place(of: id) == nil {
      if (used + 1) * 2 > places.count { grow() }
      places[free(for: id)] = base + UInt64(elements.count) + 1
      used += 1
    }
    elements.append(Element(sequence: sequence, id: id))
  }

  /// Removes the first commit.
  mutating func removeFirst() {
    let number = base + UInt64(start)
    if let place = place(of: elements[start].id), places[place] == number + 1 { remove(at: place) }
    start += 1
    guard start > 4_096, start * 2 > elements.count else { return }
    elements.removeFirst(start)
    base += UInt64(start)
    start = 0
  }

  // MARK: The table

  private func id(at place: Int) -> UUID.Halves { elements[Int(places[place] - 1 - base)].id }

  /// The place from which on a commit is searched.
  private func home(of id: UUID.Halves) -> Int {
    let product = (id.low ^ seed.low).multipliedFullWidth(by: id.high ^ seed.high)
    return Int(truncatingIfNeeded: product.high ^ product.low) & (places.count - 1)
  }

  private func place(of id: UUID.Halves) -> Int? {
    guard used > 0 else { return nil }
    var place = home(of: id)
    while places[place] != 0 {
      if self.id(at: place) == id { return place }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  private func free(for id: UUID.Halves) -> Int {
    var place = home(of: id)
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    return place
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: 0, count: max(old.count * 2, 64))
    for number in old where number != 0 {
      places[free(for: elements[Int(number - 1 - base)].id)] = number
    }
  }

  /// Frees a place, and moves the next ones back that were put there because it was taken.
  private mutating func remove(at place: Int) {
    let mask = places.count - 1
    var hole = place
    var next = (hole + 1) & mask
    while places[next] != 0 {
      let distance = (next - home(of: id(at: next))) & mask
      if distance >= (next - hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    places[hole] = 0
    used -= 1
  }
}

extension UUID {
  /// The bytes of an id as two little-endian numbers.
  struct Halves: Equatable {
    var low: UInt64
    var high: UInt64
  }

  var halves: Halves {
    func number(
      _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8, _ g: UInt8, _ h: UInt8
    ) -> UInt64 {
      let low = UInt32(a) | UInt32(b) << 8 | UInt32(c) << 16 | UInt32(d) << 24
      let high = UInt32(e) | UInt32(f) << 8 | UInt32(g) << 16 | UInt32(h) << 24
      return UInt64(low) | UInt64(high) << 32
    }
    let id = uuid
    return Halves(
      low: number(id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7),
      high: number(id.8, id.9, id.10, id.11, id.12, id.13, id.14, id.15))
  }
}
