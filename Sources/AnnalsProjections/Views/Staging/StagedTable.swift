public import AnnalsCoding
public import AnnalsSchema

/// The rows of one table that were read or changed and are not stored yet.
@usableFromInline final class StagedTable<R: ProjectionRow>: StagedRows {
  /// The row of each key; `nil` if there is none, or if it is packed.
  @inlinable var rows: [R?] {
    _read { yield held.value }
    _modify { yield &held.value }
  }
  @usableFromInline let held = SerialValue<[R?]>([])

  /// Returns the row of a number; `nil` if there is none.
  @inlinable func row(_ number: Int) throws(AnnalsError) -> R? {
    if packed.has(number) { try unpack(number) }
    return rows[number]
  }

  /// Sets the row of a number.
  @inlinable func set(_ number: Int, to row: R?) {
    packed.remove(number)
    rows[number] = row
  }

  /// Puts the row of a number.
  ///
  /// A row whose predecessor was read stays a value, because it is likely to be read too.
  @inlinable func put(_ row: R, _ number: Int) {
    guard packed.has(number) || rows[number] == nil else {
      rows[number] = row
      return
    }
    packed.next.removeAll(keepingCapacity: true)
    // The error of a row that cannot be encoded is found when it is stored.
    guard (try? row.encode(into: &packed.next)) != nil, pack(number) else { return set(number, to: row) }
  }

  /// Decodes a packed row.
  @usableFromInline func unpack(_ number: Int) throws(AnnalsError) {
    let row: R
    do throws(CodingFailure) { row = try R.decode(payload: packed[number]) } catch {
      throw undecodable(number, error)
    }
    packed.giveUp(number)
    rows[number] = row
  }

  /// Changes the row of a number, whose key was looked for last, in place. One check of exclusive access is
  /// enough.
  ///
  /// - Returns: Whether it has kept its key; otherwise nothing is changed.
  @inlinable func update(
    _ number: Int, _ initial: () -> R, _ body: (inout R) throws -> Void
  ) throws -> Bool {
    if packed.has(number) { try unpack(number) }
    return try Self.update(&rows[number], initial, body) { row in
      guard numbers.isSame({ row.key.encode(into: &$0) }) else { return false }
      numbers.change(number)
      return true
    }
  }

  @inlinable static func update(
    _ place: inout R?, _ initial: () -> R, _ body: (inout R) throws -> Void, _ note: (borrowing R) -> Bool
  ) rethrows -> Bool {
    var row = place ?? initial()
    try body(&row)
    guard note(row) else { return false }
    place = row
    return true
  }

  @usableFromInline override func isThere(_ number: Int) -> Bool {
    packed.has(number) || rows[number] != nil
  }

  override func encode(_ number: Int, into bytes: inout [UInt8]) throws(CodingFailure) -> Bool {
    if packed.has(number) {
      bytes.append(packed[number])
      return true
    }
    guard let row = rows[number] else { return false }
    try row.encode(into: &bytes)
    return true
  }

  override func forget() {
    super.forget()
    rows.removeAll(keepingCapacity: true)
  }
}
