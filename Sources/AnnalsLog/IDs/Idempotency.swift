package import AnnalsCoding
package import AnnalsFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreOptions {
  /// How a store recognises a repeated append call, by the ids of its events.
  public enum Idempotency: Hashable, Sendable, CustomStringConvertible {
    /// Recognises an id while its event is among the newest `n` entries of its stream, 1 to 65,536.
    ///
    /// A call repeated later is stored again. The cost is a look at up to `n` entries for each stream whose
    /// events have ids.
    case window(Int)
    /// Recognises an id forever, with an index of the ids of each stream.
    ///
    /// The cost is a look-up in the index and a row of about 35 bytes for each event with an id.
    case always

    /// The valid lengths of a window.
    static let windows = 1...65_536

    /// The setting as it is written on the command line.
    public var description: String {
      switch self {
      case .window(let count): "window=\(count)"
      case .always: "always"
      }
    }

    /// Throws `wrongUse` for an invalid length of a window.
    package func check() throws(AnnalsError) {
      guard case .window(let count) = self, !Self.windows.contains(count) else { return }
      throw AnnalsError(
        .wrongUse,
        "a window of event ids has \(Self.windows.lowerBound) to \(Self.windows.upperBound) entries, not \(count)"
      )
    }
  }
}

extension StoreMeta {
  /// How the store recognises ids.
  package var idempotency: StoreOptions.Idempotency {
    get { requires.contains(.ids) ? .always : .window(Int(clamping: window)) }
    set {
      requires.removeAll { $0 == .ids }
      switch newValue {
      case .always: requires.append(.ids)
      case .window(let count): window = UInt64(clamping: count)
      }
    }
  }
}

extension LogCore {
  /// Throws `wrongUse` if the store recognises ids in another way than its opener asks for.
  func check(_ wanted: StoreOptions.Idempotency) throws(AnnalsError) {
    try wanted.check()
    let generation = try newest()
    let stored = try generation.read { (reader) throws(AnnalsError) in try reader.idempotency() }
    guard stored == wanted else {
      throw AnnalsError(
        .wrongUse,
        "the store recognises event ids by '\(stored)', and the options say '\(wanted)'; leave StoreOptions.idempotency nil, or change the store by 'annals set idempotency'"
      )
    }
  }
}

extension StoreReader {
  /// How the store recognises ids.
  package func idempotency() throws(AnnalsError) -> StoreOptions.Idempotency {
    var meta = StoreMeta(log: UUID())
    for name in [StoreMeta.Name.window, .requires] { try read(name, into: &meta) }
    return meta.idempotency
  }
}
