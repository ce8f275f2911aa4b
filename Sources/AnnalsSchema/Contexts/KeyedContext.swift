public import AnnalsCoding
public import AnnalsShapes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stage's context that is looked up by key, and may be too large for memory.
///
/// It is stored in sorted chunks of about 16 KiB; at most 64 MiB of the chunks of each context are in memory.
/// Keys are compared by their bytes on disk: two texts that differ in Unicode normalisation are two keys.
///
/// ```swift
/// prepare: { history in
///   try KeyedContext(history.firstPositions { entry in
///     if case .parkAdded(let park) = entry.event { park.city } else { nil }
///   })
/// }
/// ```
///
/// It is stored this way only as the whole context of its stage. As a part of another context, even an
/// optional one, it is stored as a value, like the rest of that context.
public struct KeyedContext<Key: StoredValue & Hashable, Value: StoredValue>: Sendable {
  @usableFromInline let table: ContextTable

  /// Creates a context with these keys and values.
  ///
  /// - Throws: ``CodingFailure`` if a key or a value cannot be encoded.
  /// - Complexity: O(*n* log *n*); all of it is in memory until it is stored.
  public init(_ values: [Key: Value]) throws {
    var rows: [ContextTable.Row] = []
    rows.reserveCapacity(values.count)
    for (key, value) in values { rows.append((try Self.tableKey(key), try Self.bytes(of: value))) }
    table = ContextTable(rows)
  }

  /// Returns the value of `key`; `nil` if there is none.
  ///
  /// - Throws: An error for the rule to rethrow, if the context cannot be read or `key` cannot be encoded.
  /// - Complexity: O(log *n*), and one read of 16 KiB if the chunk is not in memory.
  @inlinable
  public subscript(key: Key) -> Value? {
    get throws { try Self.value(of: try Self.tableKey(key), in: table) }
  }

  /// Returns whether there is a value for `key`.
  ///
  /// - Throws: As ``subscript(_:)``.
  /// - Complexity: As ``subscript(_:)``.
  public func contains(_ key: Key) throws -> Bool {
    let key = try Self.tableKey(key)
    do throws(AnnalsError) { return try table.lookUp(key) { _ in } } catch {
      throw ContextUnreadable(error: error)
    }
  }

  /// Returns the key of the row for `key`: its CRC-32C, most significant byte first, and its bytes. The
  /// checksum spreads all keys evenly.
  @inlinable static func tableKey(_ key: Key) throws(CodingFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    // Reserves space for the checksum.
    for _ in 0..<4 { bytes.append(0) }
    var writer = FieldWriter(continuing: bytes)
    bytes = []
    try writer.field(key)
    bytes = writer.finish()
    ContextTable.putHash(&bytes)
    return bytes
  }

  private static func bytes(of value: Value) throws(CodingFailure) -> [UInt8] {
    var writer = FieldWriter(continuing: [])
    try writer.field(value)
    return writer.finish()
  }

  @inlinable static func value(of key: [UInt8], in table: ContextTable) throws -> Value? {
    var value: Value?
    var failure: CodingFailure?
    do throws(AnnalsError) {
      _ = try table.lookUp(key) { bytes in
        do throws(CodingFailure) {
          var reader = FieldReader(bytes)
          value = try Value(from: &reader)
          try reader.end()
        } catch {
          failure = error
        }
      }
    } catch {
      throw ContextUnreadable(error: error)
    }
    if let failure { throw anotherType(failure) }
    return value
  }

  @usableFromInline static func anotherType(_ cause: CodingFailure) -> ContextUnreadable {
    ContextUnreadable(
      error: AnnalsError(
        .shapeChanged,
        "a stage's context was stored with values of another type than \(Value.self): \(cause); give it back the type it had when the stage was activated",
        underlying: cause))
  }
}

extension KeyedContext where Value == Bool {
  /// Creates a context that has only keys, for membership tests.
  ///
  /// - Throws: ``CodingFailure`` if a key cannot be encoded.
  public init(_ keys: Set<Key>) throws {
    try self.init(Dictionary(uniqueKeysWithValues: keys.map { ($0, true) }))
  }
}

extension KeyedContext: TabledContext {
  init(_ table: ContextTable) throws(AnnalsError) {
    self.table = table
    // Reading one row detects a changed type before any rule runs.
    guard let first = table.firstKeys.first else { return }
    do { _ = try Self.value(of: first, in: table) } catch let unreadable as ContextUnreadable {
      throw unreadable.error
    } catch {
      throw AnnalsError(.shapeChanged, "a stage's context cannot be read: \(error)", underlying: error)
    }
  }

  func rows() throws -> [ContextTable.Row] { try table.rows() }
}

extension KeyedContext: Codable {
  /// Decodes keys and values in turn.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var rows: [ContextTable.Row] = []
    while !container.isAtEnd {
      rows.append((Array(try container.decode(Data.self)), Array(try container.decode(Data.self))))
    }
    try self.init(ContextTable(rows))
  }

  /// Encodes keys and values in turn, in the order of the keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for row in try table.rows() {
      try container.encode(Data(row.key))
      try container.encode(Data(row.value))
    }
  }
}

/// The error for a context that cannot be read, which is unrelated to the rule's entry.
@usableFromInline package struct ContextUnreadable: Error {
  /// The error that readers throw.
  package let error: AnnalsError

  @usableFromInline init(error: AnnalsError) {
    self.error = error
  }
}

extension ContextTable {
  /// Writes the checksum of the bytes after the first four into those four.
  @usableFromInline static func putHash(_ bytes: inout [UInt8]) {
    let hash = Checksum.crc32c(bytes.span.extracting(4..<bytes.count))
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: hash >> UInt32(24 - 8 * index)) }
  }
}
