import AnnalsTestSupport
import Synchronization

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsSchema
@testable import AnnalsShapes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keys in memory, with a cipher that a child could break: the core's tests need no libsodium.
///
/// A box holds its context, so that one which was made for another field is noticed.
final class MemoryKeys: PersonalDataKeys {
  private struct State {
    var dropped: Set<String> = []
    var drops: [KeyDrop] = []
    var recorded: KeyDrop?
    var seals: UInt32 = 0
    var opens = 0
    var isLost = false
    /// The subjects of which something was encrypted.
    var known: Set<String> = []
    /// The numbers of the keys of subjects that have others than the first one.
    var keys: [String: [UInt32]] = [:]

    func keys(of subject: String) -> [UInt32] { keys[subject] ?? [7] }
  }

  private let state = Mutex(State())

  /// Whether decryption fails, as without the file of keys.
  var isLost: Bool {
    get { state.withLock { $0.isLost } }
    set { state.withLock { $0.isLost = newValue } }
  }

  var seals: Int { state.withLock { Int($0.seals) } }
  var opens: Int { state.withLock { $0.opens } }

  func attach(
    toStoreAt url: URL, log: UUID, hasPersonalData: Bool, isReadOnly: Bool
  ) throws(AnnalsError) {}

  func seal(
    _ value: [UInt8], of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue? {
    state.withLock { state in
      if state.dropped.contains(subject) { return nil }
      state.seals += 1
      state.known.insert(subject)
      // The number of the seal in place of a nonce: no two boxes are equal.
      let number = (0..<4).map { UInt8(truncatingIfNeeded: state.seals >> ($0 * 8)) }
      return SealedValue(
        key: state.keys(of: subject).last ?? 7,
        box: number + [UInt8(context.count)] + (context + value).map { ~$0 })
    }
  }

  func open(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> OpenedValue {
    if isLost { throw AnnalsError.noKeys("lost") }
    return state.withLock { state in
      state.opens += 1
      if state.dropped.contains(subject) { return .forgotten }
      let plain = value.box.dropFirst(5).map { ~$0 }
      guard state.keys(of: subject).contains(value.key), plain.starts(with: context) else { return .forged }
      return .value(Array(plain.dropFirst(context.count)))
    }
  }

  func hasDropped(_ subject: String) throws(AnnalsError) -> Bool {
    state.withLock { $0.dropped.contains(subject) }
  }

  func renew(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue? {
    if state.withLock({ $0.keys(of: subject).last == value.key }) { return nil }
    guard case .value(let opened) = try open(value, of: subject, in: context) else { return nil }
    return try seal(opened, of: subject, in: context)
  }

  /// Gives a subject a new key.
  func rotate(_ subject: String) {
    state.withLock { state in
      let keys = state.keys(of: subject)
      state.keys[subject] = keys + [keys[keys.count - 1] + 1]
    }
  }

  /// Removes all keys of a subject but the newest.
  func removeOlderKeys(of subject: String) {
    state.withLock { $0.keys[subject] = $0.keys(of: subject).suffix(1) }
  }

  /// Drops the keys of a subject without a record in the log.
  func drop(_ subject: String) throws(AnnalsError) {
    _ = state.withLock { $0.dropped.insert(subject) }
  }

  func drop(_ subject: String, recording drop: KeyDrop) throws(AnnalsError) -> Bool {
    state.withLock { state in
      state.drops.append(drop)
      return state.dropped.insert(subject).inserted && state.known.contains(subject)
    }
  }

  func unrecordedDrops() throws(AnnalsError) -> [KeyDrop] { state.withLock { $0.drops } }

  func newestRecordedDrop() throws(AnnalsError) -> KeyDrop? { state.withLock { $0.recorded } }

  func noteRecorded(_ drops: [KeyDrop], newest: KeyDrop) throws(AnnalsError) {
    state.withLock { state in
      state.drops.removeAll { drops.contains($0) }
      state.recorded = newest
    }
  }

  var options: StoreOptions {
    var options = StoreOptions()
    options.keys = self
    return options
  }
}
