internal import AnnalsCoding

/// The bytes of consecutive rows of a table, in the order of their keys.
///
/// A chunk begins with the number of rows (4 bytes). For each row follow the first eight bytes of its key as
/// a number, the first byte most significant (8 bytes), and the row's offset (4 bytes). Then follow, for each
/// row, its key (counted) and its value, which ends where the next row begins. Numbers are little-endian.
///
/// The prefixes of keys are stored together because a search that went from row to row would wait for memory
/// at each.
package struct ContextChunk: ~Escapable {
  private let bytes: Span<UInt8>
  /// The number of rows.
  let count: Int

  /// Creates a chunk from its bytes.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    guard bytes.count >= 4 else { throw FormatFailure(.tooShort, at: 0) }
    let count = Int(bytes.number(UInt32.self, at: 0))
    guard count <= (bytes.count - 4) / 12 else { throw FormatFailure(.length, at: 0) }
    self.bytes = bytes
    self.count = count
  }

  /// Returns the value of `key`; `nil` if there is none.
  ///
  /// - Parameter range: The first eight bytes of the chunk's first key and of the key after its last, used to
  ///   guess the place.
  @_lifetime(copy self)
  func value(of key: Span<UInt8>, in range: Range<UInt64>) throws(FormatFailure) -> Span<UInt8>? {
    let (index, isFound) = try place(of: key, in: range)
    return isFound ? try row(index).value : nil
  }

  /// Returns the number of the first row whose key is `key` or higher, and whether it is `key`.
  ///
  /// - Parameter range: As for ``value(of:in:)``.
  func place(
    of key: Span<UInt8>, in range: Range<UInt64>
  ) throws(FormatFailure) -> (index: Int, isFound: Bool) {
    let prefix = Self.prefix(of: key)
    var low = firstIndex(from: prefix, in: range)
    var high = low
    while high < count, self.prefix(high) == prefix { high += 1 }
    while low < high {
      let middle = (low + high) / 2
      let row = try row(middle)
      if Self.precedes(row.key, key) {
        low = middle + 1
      } else if Self.precedes(key, row.key) {
        high = middle
      } else {
        return (middle, true)
      }
    }
    return (low, false)
  }

  /// Returns the row numbered `index`.
  @_lifetime(copy self)
  func row(_ index: Int) throws(FormatFailure) -> ContextRow {
    let place = Self.slot(index) + 8
    let start = Int(bytes.number(UInt32.self, at: place))
    let end = index + 1 < count ? Int(bytes.number(UInt32.self, at: place + 12)) : bytes.count
    guard start <= end, end <= bytes.count else { throw FormatFailure(.length, at: place) }
    var reader = ByteReader(bytes, from: start)
    let key = try reader.countedRange()
    guard key.upperBound <= end else { throw FormatFailure(.length, at: start) }
    return ContextRow(key: bytes.extracting(key), value: bytes.extracting(key.upperBound..<end))
  }

  /// Returns the number of the first row whose key begins with `prefix` or a higher one.
  ///
  /// Keys are spread evenly or are consecutive, so that a guess is seldom far off.
  private func firstIndex(from prefix: UInt64, in range: Range<UInt64>) -> Int {
    // All keys of a chunk may have the same prefix; then a guess is impossible.
    let width = range.upperBound - range.lowerBound
    let part = width == 0 ? 0 : Double(prefix &- range.lowerBound) / Double(width)
    var place = min(max(Int(min(max(part, 0), 1) * Double(count)), 0), max(count - 1, 0))
    var (low, high) = (0, count)
    var step = 1
    if place < count, self.prefix(place) < prefix {
      low = place + 1
      while place + step < count, self.prefix(place + step) < prefix {
        low = place + step + 1
        step *= 2
      }
      high = min(place + step, count)
    } else {
      high = min(place, count)
      while place - step >= 0, self.prefix(place - step) >= prefix {
        high = place - step
        step *= 2
      }
      low = max(place - step, 0)
    }
    while low < high {
      place = (low + high) / 2
      if self.prefix(place) < prefix { low = place + 1 } else { high = place }
    }
    return low
  }

  @inline(__always)
  private func prefix(_ index: Int) -> UInt64 { bytes.number(UInt64.self, at: Self.slot(index)) }

  @inline(__always)
  private static func slot(_ index: Int) -> Int { 4 + 12 * index }
}

/// A borrowed row of a chunk.
struct ContextRow: ~Escapable {
  let key, value: Span<UInt8>

  @_lifetime(copy key, copy value)
  init(key: Span<UInt8>, value: Span<UInt8>) {
    self.key = key
    self.value = value
  }
}

extension ContextChunk {
  /// Returns the first eight bytes of a key as a number. The numbers have the order of the keys.
  @inline(__always)
  static func prefix(of key: Span<UInt8>) -> UInt64 {
    var prefix: UInt64 = 0
    for index in 0..<min(key.count, 8) { prefix |= UInt64(key[index]) << UInt64(56 - 8 * index) }
    return prefix
  }

  /// Returns whether `left` sorts before `right`.
  static func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    let common = min(left.count, right.count)
    var index = 0
    while index < common {
      if left[index] != right[index] { return left[index] < right[index] }
      index += 1
    }
    return left.count < right.count
  }

  /// Returns whether `left` sorts before `right`.
  static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let (left, right) = (left.span, right.span)
    return precedes(left, right)
  }

  /// Returns the chunks of `rows`, each with its first key.
  package static func chunks(of rows: [ContextTable.Row]) -> [(first: [UInt8], bytes: [UInt8])] {
    let order = rows.indices.sorted { left, right in
      if precedes(rows[left].key, rows[right].key) { return true }
      // Equal keys keep their order, so that the last one is used.
      return left < right && rows[left].key == rows[right].key
    }
    let last = order.indices.filter { index in
      index + 1 == order.count || rows[order[index]].key != rows[order[index + 1]].key
    }
    let sorted = last.map { rows[order[$0]] }
    var chunks: [(first: [UInt8], bytes: [UInt8])] = []
    var start = 0
    while start < sorted.count {
      var (end, size) = (start, 0)
      while end < sorted.count, size < ContextTable.chunkBytes {
        size += sorted[end].key.count + sorted[end].value.count + 14
        end += 1
      }
      chunks.append((sorted[start].key, encode(sorted[start..<end])))
      start = end
    }
    return chunks
  }

  private static func encode(_ rows: ArraySlice<ContextTable.Row>) -> [UInt8] {
    var (slots, content): ([UInt8], [UInt8]) = ([], [])
    let start = 4 + 12 * rows.count
    for row in rows {
      let key = row.key
      slots.append(littleEndian: prefix(of: key.span))
      slots.append(littleEndian: UInt32(truncatingIfNeeded: start + content.count))
      content.append(counted: key)
      content += row.value
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: rows.count))
    return bytes + slots + content
  }
}

extension Span<UInt8> {
  /// Returns the little-endian number at `offset`, which must be within the bytes.
  @inline(__always)
  fileprivate func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
    var number: Number = 0
    for index in 0..<MemoryLayout<Number>.size {
      number |= Number(truncatingIfNeeded: self[offset + index]) << Number(truncatingIfNeeded: 8 * index)
    }
    return number
  }
}
