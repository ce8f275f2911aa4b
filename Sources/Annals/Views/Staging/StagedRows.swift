internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// The keys of the rows of one table that were met.
///
/// One value, so that a look-up asks once whether anybody else uses it. What is called for each row can be inlined, so that it is specialised where the types of rows and
/// keys are known: as generic code a fold of a small event took more than twice as long.
@usableFromInline struct StagedNumbers {
  /// The keys, each with the bytes that all keys of the projection and of the table begin with.
  var keys = KeyTable()
  /// By key, whether its row is to be put or removed.
  var isChanged: [Bool] = []
  /// The keys whose rows were changed, as they were first changed.
  var changed: [Int] = []
  /// By key, the position of the entry that changed its row last; 0 where that is not known.
  var changes: [UInt64] = []
  /// The position of the entry that is being folded.
  var position: UInt64 = 0
  /// The key that is looked for; it keeps the bytes that every key begins with.
  @usableFromInline var room = RowKeyBytes()
  /// A key that is compared with it, which keeps them too.
  @usableFromInline var other = RowKeyBytes()
  /// How many bytes every key begins with.
  @usableFromInline private(set) var headCount = 0

  /// The number of the key that `write` writes: that of the next one, where it was not met; negative where it is too long.
  @inlinable mutating func number(_ write: (inout RowKeyBytes) -> Void) -> Int {
    begin()
    write(&room)
    return find()
  }

  /// Says what every key begins with.
  mutating func begin(with head: [UInt8]) {
    guard !room.bytes.prefix(headCount).elementsEqual(head) else { return }
    (room.bytes, other.bytes, headCount) = (head, head, head.count)
  }

  /// Begins a key.
  @usableFromInline mutating func begin() {
    room.bytes.removeLast(room.bytes.count - headCount)
  }

  /// The number of the key that was written.
  @usableFromInline mutating func find() -> Int {
    // The last of the first bytes is the space's, which counts.
    guard room.bytes.count - headCount < RowStaging.keyLimit else { return -1 }
    let key = room.bytes
    let (number, isNew) = keys.number(of: key.span)
    if isNew {
      isChanged.append(false)
      changes.append(0)
    }
    return number
  }

  /// Whether `write` writes the key that was looked for last.
  @inlinable mutating func isSame(_ write: (inout RowKeyBytes) -> Void) -> Bool {
    other.bytes.removeLast(other.bytes.count - headCount)
    write(&other)
    return other.bytes == room.bytes
  }

  /// Notes that the row of a key was changed.
  @usableFromInline mutating func change(_ number: Int) {
    changes[number] = position
    guard !isChanged[number] else { return }
    isChanged[number] = true
    changed.append(number)
  }
}

/// The rows of one table that were read or changed and are not stored yet, without their type.
@usableFromInline class StagedRows {
  /// What the table is.
  final let outline: TableOutline
  /// The number of the space that its rows stand in.
  final let space: UInt8
  /// Whether rows have secondary keys.
  @usableFromInline final let hasKeys: Bool
  /// The keys that were met.
  @usableFromInline final var numbers = StagedNumbers()
  /// The keys whose rows were changed, in order, as far as somebody has asked for that.
  private(set) final var order = StagedOrder()
  /// How many bytes of rows were encoded, which is about what those that are kept take.
  final var size = 0

  init(_ outline: TableOutline, _ space: UInt8) {
    self.outline = outline
    self.space = space
    hasKeys = !outline.keys.isEmpty
  }

  /// The keys that were met, each with the bytes that all keys of the projection and of the table begin with.
  final var keys: KeyTable { numbers.keys }
  /// The keys whose rows were changed, as they were first changed.
  final var changed: [Int] { numbers.changed }

  /// Says what all keys of the projection begin with.
  final func begin(with prefix: [UInt8]) {
    numbers.begin(with: prefix + [space])
  }

  /// Brings the keys whose rows were changed into order.
  final func bringIntoOrder() {
    order.take(Array(changed[order.taken...]), keys)
  }

  /// Whether there is a row under the key with a number; if not, it was removed.
  func isThere(_ number: Int) -> Bool { false }

  /// Adds the payload of the row with a number to `bytes`.
  ///
  /// - Returns: Whether there is a row; if not, it was removed.
  func encode(_ number: Int, into bytes: inout [UInt8]) throws(CodingFailure) -> Bool { false }

  /// Throws where a changed row has no encoding.
  final func check() throws(AnnalsError) {
    var value: [UInt8] = []
    for number in changed {
      value.removeAll(keepingCapacity: true)
      do throws(CodingFailure) { _ = try encode(number, into: &value) } catch {
        throw unencodable(number, error)
      }
    }
  }

  /// What is thrown for a changed row that has no encoding.
  private func unencodable(_ number: Int, _ failure: CodingFailure) -> AnnalsError {
    let position = numbers.changes[number]
    let place = position == 0 ? "" : "position \(position): "
    return AnnalsError(
      .ruleFailed,
      "\(place)the fold has put a row of '\(outline.name)' that has no encoding: \(failure)",
      details: AnnalsError.Details { $0.position = position == 0 ? nil : Position(position) },
      underlying: failure)
  }

  /// Puts and removes what was changed, in the order of keys.
  ///
  /// - Throws: `ruleFailed` for a row that has no encoding, with the position of the entry that changed it
  ///   last.
  final func flush(into transaction: inout WriteTransaction, _ table: Table) throws(AnnalsError) {
    var value: [UInt8] = []
    let keys = keys
    for number in keys.sorted(changed) {
      value.removeAll(keepingCapacity: true)
      let isThere: Bool
      do throws(CodingFailure) { isThere = try encode(number, into: &value) } catch {
        throw unencodable(number, error)
      }
      let key = keys[number]
      do throws(EnvironmentError) {
        if isThere {
          value.append(littleEndian: Checksum.crc32c(value.span, seed: Checksum.crc32c(key)))
          size += value.count
          try transaction.put(near: value.span, forKey: key, in: table)
        } else {
          try transaction.delete(key: key, in: table)
        }
      } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Takes what was changed as stored.
  final func settle() {
    for number in numbers.changed { numbers.isChanged[number] = false }
    numbers.changed.removeAll(keepingCapacity: true)
    order.forget()
  }

  /// Forgets everything.
  func forget() {
    numbers.keys.removeAll()
    order.forget()
    numbers.isChanged.removeAll(keepingCapacity: true)
    numbers.changes.removeAll(keepingCapacity: true)
    numbers.changed.removeAll(keepingCapacity: true)
    size = 0
  }
}

/// The rows of one table that were read or changed and are not stored yet.
@usableFromInline final class StagedTable<R: ProjectionRow>: StagedRows {
  /// By key, its row; `nil` where there is none.
  @usableFromInline var rows: [R?] = []

  /// Changes the row of a number, whose key was looked for last, where it stands: one check of exclusive access does.
  ///
  /// - Returns: Whether it has kept its key; nothing is changed else.
  @inlinable func update(
    _ number: Int, _ initial: () -> R, _ body: (inout R) throws -> Void
  ) rethrows -> Bool {
    try Self.update(&rows[number], initial, body) { row in
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

  override func isThere(_ number: Int) -> Bool { rows[number] != nil }

  override func encode(_ number: Int, into bytes: inout [UInt8]) throws(CodingFailure) -> Bool {
    guard let row = rows[number] else { return false }
    try row.encode(into: &bytes)
    return true
  }

  override func forget() {
    super.forget()
    rows.removeAll(keepingCapacity: true)
  }
}
