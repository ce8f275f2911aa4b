public import AnnalsCoding

/// Rows by key that never change: in chunks, of which as many stand in memory as a bound allows.
///
/// What a stage has worked out from the whole log may have millions of rows; a rule looks one up at a time.
@usableFromInline package final class ContextTable: Sendable {
  /// A key and what stands under it; keys are compared byte by byte.
  package typealias Row = (key: [UInt8], value: [UInt8])

  /// The bytes of rows at which a chunk is full.
  static let chunkBytes = 16 << 10
  /// The bytes of chunks that stand in memory at most, by default.
  static let cacheBytes = 64 << 20

  /// By chunk, its first key.
  let firstKeys: [[UInt8]]
  /// By chunk, the first eight bytes of its first key.
  private let prefixes: [UInt64]
  private let cache: ChunkCache

  /// A table whose chunks are fetched when they are needed.
  ///
  /// - Parameters:
  ///   - firstKeys: By chunk, its first key.
  ///   - cacheBytes: The bytes of chunks that stand in memory at most.
  ///   - load: Fetches a chunk by its number.
  package init(
    firstKeys: [[UInt8]], cacheBytes: Int = ContextTable.cacheBytes,
    _ load: @escaping @Sendable (Int) throws(AnnalsError) -> [UInt8]
  ) {
    self.firstKeys = firstKeys
    prefixes = firstKeys.map { ContextChunk.prefix(of: $0.span) }
    cache = ChunkCache(count: firstKeys.count, bytes: cacheBytes, load)
  }

  /// A table that stands in memory.
  ///
  /// - Parameter rows: In any order; of two with one key the last counts.
  package convenience init(_ rows: [Row]) {
    let chunks = ContextChunk.chunks(of: rows)
    self.init(firstKeys: chunks.map(\.first), cacheBytes: .max) { chunks[$0].bytes }
  }

  /// Lends what stands under `key` to `body`, if anything does.
  ///
  /// - Returns: Whether it does.
  /// - Complexity: O(1) where keys are spread evenly; a chunk that is not in memory is fetched.
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

  /// The bytes of the chunk of this number.
  func chunk(_ index: Int) throws(AnnalsError) -> [UInt8] { try cache.chunk(index) }

  /// The first eight bytes of a chunk's first key, and of the one behind its last.
  func range(of index: Int) -> Range<UInt64> {
    let end = index + 1 < prefixes.count ? prefixes[index + 1] : .max
    // The keys of chunks that are damaged have no order.
    return prefixes[index]..<max(prefixes[index], end)
  }

  /// What stands under the keys that begin with the eight bytes of `prefix`, the highest first.
  package func values(beginningWith prefix: UInt64) throws(AnnalsError) -> [[UInt8]] {
    let key = Self.bytes(of: prefix)
    var values: [[UInt8]] = []
    // The first such key may be the first one of the chunk behind.
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

  /// All rows in the order of their keys.
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

  /// The number of the chunk that has `key`, if the table has it.
  func chunk(of key: Span<UInt8>) -> Int? {
    let prefix = ContextChunk.prefix(of: key)
    // The last one whose first key is not behind the key.
    var (low, high) = (0, prefixes.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(middle, key, prefix) { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? nil : low - 1
  }

  /// Whether the first key of a chunk stands behind `key`.
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
