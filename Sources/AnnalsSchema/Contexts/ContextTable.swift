public import AnnalsCoding

/// An immutable table of rows by key, stored in chunks. A limit bounds the chunks that are kept in memory.
///
/// The context of a stage may have millions of rows; a rule looks up one at a time.
@usableFromInline package final class ContextTable: Sendable {
  /// A key and its value; keys are compared byte by byte.
  package typealias Row = (key: [UInt8], value: [UInt8])

  /// The size in bytes of the rows at which a chunk is full.
  static let chunkBytes = 16 << 10
  /// The default for the most bytes of chunks to keep in memory.
  static let cacheBytes = 64 << 20

  /// The first key of each chunk.
  let firstKeys: [[UInt8]]
  /// The first eight bytes of each chunk's first key.
  private let prefixes: [UInt64]
  private let cache: ChunkCache

  /// Creates a table that loads its chunks when they are needed.
  ///
  /// - Parameters:
  ///   - firstKeys: The first key of each chunk.
  ///   - cacheBytes: The most bytes of chunks to keep in memory.
  ///   - load: Loads a chunk by its number.
  package init(
    firstKeys: [[UInt8]], cacheBytes: Int = ContextTable.cacheBytes,
    _ load: @escaping @Sendable (Int) throws(AnnalsError) -> [UInt8]
  ) {
    self.firstKeys = firstKeys
    prefixes = firstKeys.map { ContextChunk.prefix(of: $0.span) }
    cache = ChunkCache(count: firstKeys.count, bytes: cacheBytes, load)
  }

  /// Creates a table in memory.
  ///
  /// - Parameter rows: The rows in any order; of two with the same key, the last is used.
  package convenience init(_ rows: [Row]) {
    let chunks = ContextChunk.chunks(of: rows)
    self.init(firstKeys: chunks.map(\.first), cacheBytes: .max) { chunks[$0].bytes }
  }

  /// Calls `body` with the value of `key`, if there is one.
  ///
  /// - Returns: Whether there is one.
  /// - Complexity: O(1) if keys are spread evenly; a chunk that is not in memory is loaded.
  @usableFromInline
  func lookUp(_ key: [UInt8], _ body: (Span<UInt8>) -> Void) throws(AnnalsError) -> Bool {
    let key = key.span
    guard let index = chunk(of: key) else { return false }
    let bytes = try chunk(index)
    do throws(FormatFailure) {
      let chunk = try ContextChunk(bytes.span)
      guard let value = try chunk.value(of: key, in: range(of: index)) else { return false }
      body(value)
      return true
    } catch {
      throw Self.damaged(error)
    }
  }

  /// Returns the bytes of the chunk with this number.
  func chunk(_ index: Int) throws(AnnalsError) -> [UInt8] { try cache.chunk(index) }

  /// Returns the first eight bytes of a chunk's first key, and of the key after its last.
  func range(of index: Int) -> Range<UInt64> {
    let end = index + 1 < prefixes.count ? prefixes[index + 1] : .max
    // The keys of damaged chunks may be out of order.
    return prefixes[index]..<max(prefixes[index], end)
  }

  /// Returns the values of the keys that begin with the eight bytes of `prefix`, most significant first.
  package func values(beginningWith prefix: UInt64) throws(AnnalsError) -> [[UInt8]] {
    let key = Self.bytes(of: prefix)
    var values: [[UInt8]] = []
    // The first such key may be the first one of the next chunk.
    var index = chunk(of: key.span) ?? 0
    while index < prefixes.count, prefixes[index] <= prefix {
      let bytes = try chunk(index)
      do throws(FormatFailure) {
        let chunk = try ContextChunk(bytes.span)
        var place = try chunk.place(of: key.span, in: range(of: index)).index
        while place < chunk.count {
          let row = try chunk.row(place)
          guard ContextChunk.prefix(of: row.key) == prefix else { return values }
          values.append(row.value.copied)
          place += 1
        }
      } catch {
        throw Self.damaged(error)
      }
      index += 1
    }
    return values
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  /// Returns all rows in the order of their keys.
  package func rows() throws(AnnalsError) -> [Row] {
    var rows: [Row] = []
    for index in firstKeys.indices {
      let bytes = try chunk(index)
      do throws(FormatFailure) {
        let chunk = try ContextChunk(bytes.span)
        for index in 0..<chunk.count {
          let row = try chunk.row(index)
          rows.append((row.key.copied, row.value.copied))
        }
      } catch {
        throw Self.damaged(error)
      }
    }
    return rows
  }

  /// Returns the number of the chunk that has `key`, if the table has it.
  func chunk(of key: Span<UInt8>) -> Int? {
    let prefix = ContextChunk.prefix(of: key)
    // The last chunk whose first key is not higher than the key.
    var (low, high) = (0, prefixes.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(middle, key, prefix) { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? nil : low - 1
  }

  /// Returns whether the first key of a chunk is higher than `key`.
  @inline(__always)
  private func isBehind(_ index: Int, _ key: Span<UInt8>, _ prefix: UInt64) -> Bool {
    if prefixes[index] != prefix { return prefix < prefixes[index] }
    let first = firstKeys[index]
    return ContextChunk.precedes(key, first.span)
  }

  private static func damaged(_ failure: FormatFailure) -> AnnalsError {
    AnnalsError(failure, place: "a chunk of a stage's context", table: "meta")
  }
}
