internal import AnnalsCoding
internal import LMDB

/// Entries of secondary keys that were changed and are not stored yet.
///
/// The key of an entry is that of its space, the secondary key and, where that is not unique, the row's key; its value is the row's key.
struct StagedKeys {
  /// The keys that were met.
  private(set) var keys = KeyTable()
  /// By key, the row's key; `nil` where the entry was removed.
  private(set) var values: [[UInt8]?] = []

  /// The keys in order, as far as somebody has asked for that.
  private(set) var order = StagedOrder()

  /// Brings the keys into order.
  mutating func bringIntoOrder() {
    order.take(Array(order.taken..<keys.count), keys)
  }

  /// What is staged for a key: `.some(nil)` where the entry was removed, `nil` where nothing is staged.
  func staged(_ key: Span<UInt8>) -> [UInt8]?? {
    guard let number = keys.find(key) else { return nil }
    return .some(values[number])
  }

  /// Gives every staged key and its row's key to `body`, in no order.
  func each(_ body: ([UInt8], [UInt8]?) -> Void) {
    for number in 0..<keys.count { body(keys[number].copied, values[number]) }
  }

  /// Stages an entry, or its removal.
  mutating func set(_ key: Span<UInt8>, to value: [UInt8]?) {
    let (number, isNew) = keys.number(of: key)
    if isNew { values.append(value) } else { values[number] = value }
  }

  /// Puts and removes what was changed, in the order of keys.
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

  /// Forgets everything.
  mutating func forget() {
    keys.removeAll()
    order.forget()
    values.removeAll(keepingCapacity: true)
  }
}
