internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// Changed entries of secondary keys that are not stored yet.
///
/// The key of an entry consists of its space, the secondary key and, unless that is unique, the row's key.
/// Its value is the row's key.
struct StagedKeys {
  /// The keys seen so far.
  private(set) var keys = KeyTable()
  /// The row's key for each entry; `nil` if the entry was removed.
  private(set) var values: [[UInt8]?] = []

  /// The keys of entries in order, as of the last call that sorted them.
  private(set) var order = StagedOrder()
  /// Whether any entry was removed.
  private(set) var hasRemoved = false
  /// The removed keys that queries have met.
  let removed = RemovedRuns()

  /// The approximate number of bytes of memory that the entries take.
  var memory: Int { 2 * keys.size + 96 * keys.count }

  /// Sorts the keys.
  mutating func bringIntoOrder() {
    let values = values
    order.bringUpToDate(0..<keys.count, keys) { values[$0] != nil }
  }

  /// Returns the staged value of a key: `.some(nil)` if the entry was removed, `nil` if nothing is staged.
  func staged(_ key: Span<UInt8>) -> [UInt8]?? {
    guard let number = keys.find(key) else { return nil }
    return .some(values[number])
  }

  /// Calls `body` with every staged key and its row's key, in no order.
  func each(_ body: ([UInt8], [UInt8]?) -> Void) {
    for number in 0..<keys.count { body(keys[number].copied, values[number]) }
  }

  /// Stages an entry, or its removal.
  mutating func set(_ key: Span<UInt8>, to value: [UInt8]?) {
    let (number, isNew) = keys.number(of: key)
    if value == nil { hasRemoved = true }
    if isNew { return values.append(value) }
    if (values[number] == nil) != (value == nil) { order.turn(number) }
    values[number] = value
  }

  /// Puts and removes the changed entries, in the order of keys.
  func flush(into transaction: inout WriteTransaction, _ table: Table) throws(AnnalsError) {
    let keys = keys
    do throws(EnvironmentError) {
      for number in keys.sorted(Array(0..<keys.count)) {
        let key = keys[number]
        if var value = values[number] {
          value.append(littleEndian: Checksum.crc32c(value.span, seed: Checksum.crc32c(key)))
          try transaction.put(near: value.span, forKey: key, in: table)
        } else {
          try transaction.delete(key: key, in: table)
        }
      }
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Discards everything.
  mutating func forget() {
    keys.removeAll()
    order.forget()
    removed.forget()
    hasRemoved = false
    values.removeAll(keepingCapacity: true)
  }
}
