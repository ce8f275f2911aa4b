internal import AnnalsCoding

/// The names of new streams that one merge writes, in the order of their rows.
///
/// All names share one buffer. Most comparisons of a sort are between two numbers, made of the bytes after
/// the longest prefix that all names have, and touch neither the buffer nor a reference count.
package struct FrozenNames: Sendable {
  /// A name's place in the buffer.
  private struct Place {
    var start: Int
    let count: Int
    /// The position of the stream's first entry.
    let id: UInt64
    /// The bytes after the common prefix, the first one highest, with zeros after the name's end.
    var leading: (UInt64, UInt64) = (0, 0)

    init(start: Int, count: Int, id: UInt64) {
      self.start = start
      self.count = count
      self.id = id
    }

    var range: Range<Int> { start..<start + count }
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  /// The number of names.
  package var count: Int { places.count }

  /// Creates an empty list with room for `capacity` names.
  package init(capacity: Int = 0) {
    places.reserveCapacity(capacity)
  }

  /// Adds a name at the end.
  package mutating func add(_ name: Span<UInt8>, id: UInt64) {
    places.append(Place(start: bytes.count, count: name.count, id: id))
    bytes.append(name)
  }

  /// The position of the first entry of the stream with the name at `index`.
  package func id(_ index: Int) -> UInt64 { places[index].id }

  /// The bytes of the name at `index`.
  @_lifetime(borrow self)
  package func name(_ index: Int) -> Span<UInt8> { bytes.span.extracting(places[index].range) }

  /// Sorts the names by their bytes, as LMDB sorts their rows.
  package mutating func sort() {
    let prefix = commonPrefix()
    for index in places.indices {
      places[index].leading = leading(of: places[index], after: prefix)
    }
    let bytes = bytes
    places.sort { first, second in
      if first.leading.0 != second.leading.0 { return first.leading.0 < second.leading.0 }
      if first.leading.1 != second.leading.1 { return first.leading.1 < second.leading.1 }
      return bytes[first.range].lexicographicallyPrecedes(bytes[second.range])
    }
  }

  /// Moves the names together in the order of their rows, so that reading them in this order does not wait
  /// for memory.
  package mutating func gather() {
    var gathered: [UInt8] = []
    gathered.reserveCapacity(bytes.count)
    for index in places.indices {
      let range = places[index].range
      places[index].start = gathered.count
      gathered.append(bytes.span.extracting(range))
    }
    bytes = gathered
  }

  /// Returns the number of leading bytes that all names have in common.
  private func commonPrefix() -> Int {
    guard let first = places.first else { return 0 }
    let bytes = bytes.span
    var count = first.count
    for place in places {
      count = min(count, place.count)
      var same = 0
      while same < count, bytes[first.start + same] == bytes[place.start + same] { same += 1 }
      count = same
    }
    return count
  }

  private func leading(of place: Place, after prefix: Int) -> (UInt64, UInt64) {
    let bytes = bytes.span
    var words: (UInt64, UInt64) = (0, 0)
    for offset in 0..<16 {
      let index = prefix + offset
      let byte = index < place.count ? UInt64(bytes[place.start + index]) : 0
      if offset < 8 { words.0 = words.0 << 8 | byte } else { words.1 = words.1 << 8 | byte }
    }
    return words
  }
}
