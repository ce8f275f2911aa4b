public import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stage's context that is looked up by key, and may be too large to stand in memory.
///
/// It is stored in sorted chunks of about 16 KiB, of which 64 MiB of each context stand in memory at most. Keys are compared by their bytes on disk: two texts that differ in Unicode
/// normalisation are two keys.
///
/// ```swift
/// prepare: { history in
///   try KeyedContext(history.firstPositions { entry in
///     if case .parkAdded(let park) = entry.event { park.city } else { nil }
///   })
/// }
/// ```
///
/// It is stored so where it is the whole context of its stage. As a part of another context, an optional one too, it is stored as a value, like everything in that.
public struct KeyedContext<Key: StoredValue & Hashable, Value: StoredValue>: Sendable {
  @usableFromInline let table: ContextTable

  /// A context with these keys and values.
  ///
  /// - Throws: ``CodingFailure`` where a key or a value cannot be written.
  /// - Complexity: O(*n* log *n*); all of it stands in memory until it is stored.
  public init(_ values: [Key: Value]) throws {
    var rows: [ContextTable.Row] = []
    rows.reserveCapacity(values.count)
    for (key, value) in values { rows.append((try Self.tableKey(key), try Self.bytes(of: value))) }
    table = ContextTable(rows)
  }

  /// What stands under `key`; `nil` where nothing does.
  ///
  /// - Throws: What a rule passes on: the context cannot be read, or `key` cannot be written.
  /// - Complexity: O(log *n*), and one read of 16 KiB where the chunk is not in memory.
  @inlinable
  public subscript(key: Key) -> Value? {
    get throws { try Self.value(of: try Self.tableKey(key), in: table) }
  }

  /// Whether something stands under `key`.
  ///
  /// - Throws: As ``subscript(_:)``.
  /// - Complexity: As ``subscript(_:)``.
  public func contains(_ key: Key) throws -> Bool {
    let key = try Self.tableKey(key)
    do throws(AnnalsError) { return try table.lookUp(key) { _ in } } catch {
      throw ContextUnreadable(error: error)
    }
  }

  /// The key of the row for `key`: its CRC-32C, highest byte first, and its bytes. So keys are spread evenly, whatever they are.
  @inlinable static func tableKey(_ key: Key) throws(CodingFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    // Room for the checksum.
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
  /// A context that only says whether a key is there.
  ///
  /// - Throws: ``CodingFailure`` where a key cannot be written.
  public init(_ keys: Set<Key>) throws {
    try self.init(Dictionary(uniqueKeysWithValues: keys.map { ($0, true) }))
  }
}

extension KeyedContext: TabledContext {
  init(_ table: ContextTable) throws(AnnalsError) {
    self.table = table
    // A look at one row tells a type that has been changed before any rule meets it.
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
  /// Reads keys and values in turn.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var rows: [ContextTable.Row] = []
    while !container.isAtEnd {
      rows.append((Array(try container.decode(Data.self)), Array(try container.decode(Data.self))))
    }
    try self.init(ContextTable(rows))
  }

  /// Writes keys and values in turn, in the order of the keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for row in try table.rows() {
      try container.encode(Data(row.key))
      try container.encode(Data(row.value))
    }
  }
}

/// A context cannot be read, which is not a matter of the entry that a rule was given.
@usableFromInline package struct ContextUnreadable: Error {
  /// What readers are told.
  package let error: AnnalsError

  @usableFromInline init(error: AnnalsError) {
    self.error = error
  }
}

extension ContextTable {
  /// Puts the checksum of what stands behind the first four bytes into those.
  @usableFromInline static func putHash(_ bytes: inout [UInt8]) {
    let hash = Checksum.crc32c(bytes.span.extracting(4..<bytes.count))
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: hash >> UInt32(24 - 8 * index)) }
  }
}
