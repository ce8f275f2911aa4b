internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// Staged keys that have a row or an entry, in the order of their bytes, kept for range reads between
/// changes.
///
/// The keys are in chunks, so that one key is added or taken out without moving all the others. Removed keys
/// are not among them. A read after every change therefore costs only the logarithm of the number of staged
/// keys, also if most of them were removed.
struct StagedOrder {
  /// The most keys of a chunk.
  private static let most = 512

  /// The numbers of the keys; no chunk is empty.
  fileprivate private(set) var chunks: [[Int]] = []
  /// The number of changed keys included or left out, in the order of their first change.
  private var taken = 0
  /// Keys that were removed or put again since.
  private var turned: [Int] = []

  /// Notes that a key that has changed before was removed or put again.
  mutating func turn(_ number: Int) {
    // Before the first read nothing is in order.
    guard taken > 0 else { return }
    turned.append(number)
    // Without a read they would take ever more memory. The next one sorts all keys.
    if turned.count > taken { forget() }
  }

  /// Includes the changes since the last read.
  ///
  /// - Parameters:
  ///   - changed: All changed keys, in the order of their first change.
  ///   - isThere: Whether a key has a row or an entry.
  mutating func bringUpToDate(
    _ changed: some RandomAccessCollection<Int>, _ keys: KeyTable, isThere: (Int) -> Bool
  ) {
    let added = changed.dropFirst(taken)
    if added.count > taken / 8 {
      chunks = Self.chunks(of: keys.sorted(chunks.joined() + added.filter(isThere)))
    } else {
      for number in added where isThere(number) { insert(number, keys) }
    }
    for number in turned {
      if isThere(number) { insert(number, keys) } else { remove(number, keys) }
    }
    taken = changed.count
    turned.removeAll(keepingCapacity: true)
  }

  private static func chunks(of sorted: [Int]) -> [[Int]] {
    let size = most / 2
    return stride(from: 0, to: sorted.count, by: size).map { start in
      Array(sorted[start..<min(start + size, sorted.count)])
    }
  }

  /// Adds a key, unless it is there.
  private mutating func insert(_ number: Int, _ keys: KeyTable) {
    var place = place(of: keys[number], keys)
    if has(number, at: place) { return }
    if chunks.isEmpty { chunks.append([]) }
    if place.index == 0, place.chunk > 0 {
      place.chunk -= 1
      place.index = chunks[place.chunk].count
    }
    chunks[place.chunk].insert(number, at: place.index)
    guard chunks[place.chunk].count > Self.most else { return }
    let upper = Array(chunks[place.chunk][(Self.most / 2)...])
    chunks[place.chunk].removeLast(upper.count)
    chunks.insert(upper, at: place.chunk + 1)
  }

  /// Takes a key out, if it is there.
  private mutating func remove(_ number: Int, _ keys: KeyTable) {
    let place = place(of: keys[number], keys)
    guard has(number, at: place) else { return }
    chunks[place.chunk].remove(at: place.index)
    if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
  }

  private func has(_ number: Int, at place: Place) -> Bool {
    place.chunk < chunks.count && chunks[place.chunk][place.index] == number
  }

  /// The place of a key; after the last one, the index is 0 in a chunk that does not exist.
  fileprivate struct Place: Comparable {
    var chunk: Int
    var index: Int

    static func < (left: Place, right: Place) -> Bool {
      (left.chunk, left.index) < (right.chunk, right.index)
    }
  }

  /// Returns the place of the first key that does not come before `key`.
  fileprivate func place(of key: Span<UInt8>, _ keys: KeyTable) -> Place {
    let chunk = Self.count(before: key, in: chunks.count, keys) { chunks[$0][0] } - 1
    guard chunk >= 0 else { return Place(chunk: 0, index: 0) }
    let count = chunks[chunk].count
    let index = Self.count(before: key, in: count, keys) { chunks[chunk][$0] }
    return index < count ? Place(chunk: chunk, index: index) : Place(chunk: chunk + 1, index: 0)
  }

  /// Returns how many of `count` keys in order come before `key`.
  private static func count(
    before key: Span<UInt8>, in count: Int, _ keys: KeyTable, _ number: (Int) -> Int
  ) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if keys[number(middle)].precedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Discards all keys.
  mutating func forget() {
    chunks.removeAll()
    taken = 0
    turned.removeAll()
  }
}

/// An iteration over staged keys from one key to before another, in either direction.
struct StagedWalk {
  private let chunks: [[Int]]
  private var low, high: StagedOrder.Place
  private let isBackwards: Bool

  init(_ order: StagedOrder, _ keys: KeyTable, from lower: [UInt8], to upper: [UInt8], isBackwards: Bool) {
    chunks = order.chunks
    low = order.place(of: lower.span, keys)
    high = order.place(of: upper.span, keys)
    self.isBackwards = isBackwards
  }

  /// Returns the number of the next key; `nil` at the end.
  mutating func next() -> Int? {
    guard low < high else { return nil }
    if isBackwards {
      if high.index == 0 {
        high.chunk -= 1
        high.index = chunks[high.chunk].count
      }
      high.index -= 1
      return chunks[high.chunk][high.index]
    }
    let number = chunks[low.chunk][low.index]
    low.index += 1
    if low.index == chunks[low.chunk].count { low = StagedOrder.Place(chunk: low.chunk + 1, index: 0) }
    return number
  }
}
