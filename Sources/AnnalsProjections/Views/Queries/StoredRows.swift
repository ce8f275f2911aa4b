internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// An iteration over the stored keys of a projection from one to before another, in either direction, with
/// their values.
struct StoredRows: ~Copyable, ~Escapable {
  private var cursor: Cursor
  /// The view's file; `nil` for rows in the log's file.
  private let file: ViewFile?
  private var lower, upper: [UInt8]
  private let isBackwards: Bool
  private var hasBegun = false
  private var isOver = false
  /// The current key.
  private(set) var key: [UInt8] = []
  /// Its value, with the checksum.
  private(set) var value: [UInt8] = []

  @_lifetime(copy source)
  init(
    _ source: RowSource, from lower: [UInt8], to upper: [UInt8], isBackwards: Bool
  ) throws(AnnalsError) {
    do { cursor = try source.view.cursor(in: source.table) } catch { throw source.file.failure(error) }
    file = source.file
    self.lower = lower
    self.upper = upper
    self.isBackwards = isBackwards
  }

  /// Advances to the next key.
  ///
  /// - Returns: Whether there is one.
  mutating func step() throws(AnnalsError) -> Bool {
    guard !isOver else { return false }
    do throws(EnvironmentError) { isOver = try !move() } catch {
      isOver = true
      throw file.failure(error)
    }
    return !isOver
  }

  /// Advances to the next key after another, which may be far away.
  ///
  /// - Returns: Whether there is one.
  mutating func step(past key: [UInt8]) throws(AnnalsError) -> Bool {
    // The key followed by a zero is the lowest key after it.
    if isBackwards { upper = key } else { lower = key + [0] }
    hasBegun = false
    return try step()
  }

  private mutating func move() throws(EnvironmentError) -> Bool {
    guard hasBegun else {
      hasBegun = true
      return try begin()
    }
    guard let row = try isBackwards ? cursor.previous() : cursor.next() else { return false }
    return take(row)
  }

  /// LMDB seeks keys of at most 511 bytes. All row keys are shorter, so a key after the beginning of a bound
  /// is also after the whole bound.
  private static func seekable(_ bound: [UInt8]) -> [UInt8] { Array(bound.prefix(511)) }

  private mutating func begin() throws(EnvironmentError) -> Bool {
    let bound = Self.seekable(isBackwards ? upper : lower)
    guard isBackwards else {
      guard let row = try cursor.seek(bound.span) else { return false }
      return take(row)
    }
    if try cursor.seek(bound.span) != nil {
      guard let row = try cursor.previous() else { return false }
      return take(row)
    }
    guard let row = try cursor.last() else { return false }
    return take(row)
  }

  /// Keeps a row that is within the bounds.
  private mutating func take(_ row: LMDB.Row) -> Bool {
    let isWithin = isBackwards ? !row.key.precedes(lower.span) : row.key.precedes(upper.span)
    guard isWithin else { return false }
    key.removeAll(keepingCapacity: true)
    key.append(row.key)
    value.removeAll(keepingCapacity: true)
    value.append(row.value)
    return true
  }
}
