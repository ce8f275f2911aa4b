internal import AnnalsLog
internal import AnnalsStore
public import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// The keys of the rows of one table seen so far.
///
/// It is one value, so that a look-up checks once whether it is shared. Methods called for each row can be
/// inlined, so that they are specialised where the types of rows and keys are known. As generic code, a fold
/// of a small event took more than twice as long.
@usableFromInline struct StagedNumbers {
  /// The keys, each with the prefix of the projection and the table.
  var keys = KeyTable()
  /// The change of each key's row that is to be stored.
  private(set) var kinds: [Change] = []
  /// Whether any row is to be removed.
  private(set) var hasRemoved = false
  /// The keys of changed rows, in the order of their first change.
  private(set) var changed: [Int] = []
  /// The keys of rows to be put in order, as of the last call that sorted them.
  private(set) var order = StagedOrder()
  /// The position of the entry that last changed each key's row; 0 if it is not known.
  var changes: [UInt64] = []
  /// The position of the entry that is being folded.
  var position: UInt64 = 0
  /// The key being looked for; it keeps the shared prefix.
  @usableFromInline var room = RowKeyBytes()
  /// A key compared with it, which also keeps the prefix.
  @usableFromInline var other = RowKeyBytes()
  /// The length of the shared prefix.
  @usableFromInline private(set) var headCount = 0

  /// Returns the number of the key that `write` writes: that of the next key if it is new; negative if it is
  /// too long.
  @inlinable mutating func number(_ write: (inout RowKeyBytes) -> Void) -> Int {
    begin()
    write(&room)
    return find()
  }

  /// Sets the shared prefix.
  mutating func begin(with prefix: [UInt8], _ space: UInt8) {
    let known = room.bytes.prefix(headCount)
    guard known.last != space || !known.dropLast().elementsEqual(prefix) else { return }
    let head = prefix + [space]
    (room.bytes, other.bytes, headCount) = (head, head, head.count)
  }

  /// Begins a key.
  @usableFromInline mutating func begin() {
    room.bytes.removeLast(room.bytes.count - headCount)
  }

  /// Returns the number of the key that was written.
  @usableFromInline mutating func find() -> Int {
    // The last byte of the prefix is the space's, which counts.
    guard room.bytes.count - headCount < RowStaging.keyLimit else { return -1 }
    let key = room.bytes
    let (number, isNew) = keys.number(of: key.span)
    if isNew {
      kinds.append(.none)
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

  /// Records that the row of a key was put or removed.
  @usableFromInline mutating func change(_ number: Int, to kind: Change = .put) {
    changes[number] = position
    let known = kinds[number]
    guard known != kind else { return }
    kinds[number] = kind
    if kind == .removed { hasRemoved = true }
    if known == .none { changed.append(number) } else { order.turn(number) }
  }

  /// Sorts the keys of rows to be put.
  mutating func bringIntoOrder() {
    let kinds = kinds
    order.bringUpToDate(changed, keys) { kinds[$0] == .put }
  }

  /// Marks the changes as stored.
  mutating func settle() {
    for number in changed { kinds[number] = .none }
    changed.removeAll(keepingCapacity: true)
    hasRemoved = false
    order.forget()
  }

  /// Discards everything.
  mutating func forget() {
    keys.removeAll()
    hasRemoved = false
    order.forget()
    kinds.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
  }

  /// The change of a row.
  @usableFromInline enum Change: UInt8 { case none, put, removed }
}

/// The rows of one table that were read or changed and are not stored yet, without their type.
///
/// One thread uses a table, through ``ProjectionRows``, which is neither copied nor kept. Keys and rows are
/// ``SerialValue``: the closures that run during an access get a row or the bytes of a key, and cannot reach
/// the table, because `update` has exclusive access to the ``ProjectionRows`` meanwhile.
@usableFromInline class StagedRows {
  /// The description of the table.
  final let outline: TableOutline
  /// The number of the space that holds its rows.
  final let space: UInt8
  /// Whether rows have secondary keys.
  @usableFromInline final let hasKeys: Bool
  /// The keys seen so far.
  @inlinable final var numbers: StagedNumbers {
    _read { yield seen.value }
    _modify { yield &seen.value }
  }
  @usableFromInline final let seen = SerialValue(StagedNumbers())
  /// The removed keys that queries have met.
  final let removed = RemovedRuns()
  /// Rows that were put and not read since, as bytes.
  @inlinable final var packed: PackedRows {
    _read { yield packs.value }
    _modify { yield &packs.value }
  }
  @usableFromInline final let packs = SerialValue(PackedRows())
  /// The number of bytes of encoded rows, as of the last time that each was read or stored.
  private final var size = 0
  /// The part of ``size`` of the row of each key.
  private final var sizes: [UInt32] = []
  /// The likely number of bytes of a changed row.
  private final var sample = 128

  init(_ outline: TableOutline, _ space: UInt8) {
    self.outline = outline
    self.space = space
    hasKeys = !outline.keys.isEmpty
  }

  /// The keys seen so far, each with the prefix of the projection and the table.
  final var keys: KeyTable { numbers.keys }
  /// The keys of changed rows, in the order of their first change.
  final var changed: [Int] { numbers.changed }

  /// The approximate number of bytes of memory that the table takes.
  final var memory: Int { size + packed.excess + keys.size + 96 * keys.count + changedSize }
  /// The approximate number of bytes of changed rows.
  final var changedSize: Int { changed.count * sample }

  /// Learns the size of changed rows from the last one.
  final func sampleChange() {
    guard let number = changed.last else { return }
    var value: [UInt8] = []
    // The error of a row that cannot be encoded is found when it is stored.
    guard (try? encode(number, into: &value)) == true else { return }
    sample = max(value.count, (3 * sample + value.count) / 4)
  }

  /// Records the size of a row that was read or stored.
  final func note(_ count: Int, of number: Int) {
    if sizes.count <= number { sizes += [UInt32](repeating: 0, count: number + 1 - sizes.count) }
    size += count - Int(sizes[number])
    sizes[number] = UInt32(clamping: count)
  }

  /// Takes the bytes that were written as the row of a number.
  ///
  /// - Returns: `false` if there are none, or too many.
  @usableFromInline final func pack(_ number: Int) -> Bool {
    let count = packed.next.count
    guard (1...PackedRows.longest).contains(count) else { return false }
    packed.take(number)
    note(count, of: number)
    return true
  }

  /// Sets the prefix of all keys of the projection.
  final func begin(with prefix: [UInt8]) {
    numbers.begin(with: prefix, space)
  }

  /// Whether the key with a number has a row; if not, it was removed.
  @usableFromInline func isThere(_ number: Int) -> Bool { false }

  /// Adds the payload of the row with a number to `bytes`.
  ///
  /// - Returns: Whether there is a row; if not, it was removed.
  func encode(_ number: Int, into bytes: inout [UInt8]) throws(CodingFailure) -> Bool { false }

  /// Throws if a changed row cannot be encoded.
  final func check() throws(AnnalsError) {
    var value: [UInt8] = []
    for number in changed {
      value.removeAll(keepingCapacity: true)
      do throws(CodingFailure) { _ = try encode(number, into: &value) } catch {
        throw unencodable(number, error)
      }
    }
  }

  /// Creates the error for a changed row that cannot be encoded.
  private func unencodable(_ number: Int, _ failure: CodingFailure) -> AnnalsError {
    let position = numbers.changes[number]
    let place = position == 0 ? "" : "position \(position): "
    return AnnalsError(
      .ruleFailed,
      "\(place)the fold has put a row of '\(outline.name)' that has no encoding: \(failure)",
      details: AnnalsError.Details { $0.position = position == 0 ? nil : Position(position) },
      underlying: failure)
  }

  /// Creates the error for a packed row that cannot be decoded.
  final func undecodable(_ number: Int, _ failure: CodingFailure) -> AnnalsError {
    AnnalsError(
      .ruleFailed, "the fold has put a row of '\(outline.name)' that cannot be decoded: \(failure)",
      underlying: failure)
  }

  /// Puts and removes the changed rows, in the order of keys.
  ///
  /// - Throws: `ruleFailed` for a row that cannot be encoded, with the position of the entry that changed it
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
          note(value.count, of: number)
          try transaction.put(near: value.span, forKey: key, in: table)
        } else {
          note(0, of: number)
          try transaction.delete(key: key, in: table)
        }
      } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Marks the changes as stored.
  final func settle() {
    numbers.settle()
    removed.forget()
  }

  /// Discards everything.
  func forget() {
    numbers.forget()
    removed.forget()
    packed.removeAll()
    sizes.removeAll(keepingCapacity: true)
    size = 0
  }
}
