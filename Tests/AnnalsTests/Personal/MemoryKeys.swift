import AnnalsTestSupport
import Synchronization

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keys in memory, with a cipher that a child could break: the core's tests need no libsodium.
///
/// A box holds its context, so that one which was made for another field is noticed.
final class MemoryKeys: PersonalDataKeys {
  private let state = Mutex((dropped: Set<String>(), seals: UInt32(0), opens: 0, isLost: false))

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
      // The number of the seal in place of a nonce: no two boxes are equal.
      let number = (0..<4).map { UInt8(truncatingIfNeeded: state.seals >> ($0 * 8)) }
      return SealedValue(key: 7, box: number + [UInt8(context.count)] + (context + value).map { ~$0 })
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
      guard value.key == 7, plain.starts(with: context) else { return .forged }
      return .value(Array(plain.dropFirst(context.count)))
    }
  }

  func drop(_ subject: String) throws(AnnalsError) {
    _ = state.withLock { $0.dropped.insert(subject) }
  }

  var options: StoreOptions {
    var options = StoreOptions()
    options.keys = self
    return options
  }
}
