internal import LMDB

/// The rows of one table that were read or changed and are not stored yet, without their type.
class StagedRows {
  /// What the table is.
  final let outline: TableOutline
  /// The keys that were met, each with the bytes that all keys of the projection and of the table begin with.
  final var keys = KeyTable()
  /// By key, whether its row is to be put or removed.
  final var isChanged: [Bool] = []
  /// The keys whose rows were changed, as they were first changed.
  final var changed: [Int] = []
  /// The keys whose rows were changed, in order, as far as somebody has asked for that.
  private(set) final var order = StagedOrder()
  /// Room for a key.
  final var room = RowKeyBytes()
  /// How many bytes of rows were encoded, which is about what those that are kept take.
  final var size = 0

  init(_ outline: TableOutline) {
    self.outline = outline
  }

  /// Notes that the row of a key was changed.
  final func change(_ number: Int) {
    guard !isChanged[number] else { return }
    isChanged[number] = true
    changed.append(number)
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

  /// Puts and removes what was changed, in the order of keys.
  final func flush(into transaction: inout WriteTransaction, _ table: Table) throws(AnnalsError) {
    var value: [UInt8] = []
    let keys = keys
    for number in keys.sorted(changed) {
      value.removeAll(keepingCapacity: true)
      let isThere: Bool
      do throws(CodingFailure) { isThere = try encode(number, into: &value) } catch {
        throw AnnalsError(
          .malformed, "a row of '\(outline.name)' has no encoding: \(error)", underlying: error)
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
    for number in changed { isChanged[number] = false }
    changed.removeAll(keepingCapacity: true)
    order.forget()
  }

  /// Forgets everything.
  func forget() {
    keys.removeAll()
    order.forget()
    isChanged.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    size = 0
  }
}

/// The rows of one table that were read or changed and are not stored yet.
final class StagedTable<R: ProjectionRow>: StagedRows {
  /// By key, its row; `nil` where there is none.
  var rows: [R?] = []

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
