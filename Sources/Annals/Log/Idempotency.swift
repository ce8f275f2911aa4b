internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoreOptions {
  /// How a store recognises an append call whose events it has already, by the ids of the events.
  public enum Idempotency: Hashable, Sendable, CustomStringConvertible {
    /// An id is recognised while its event is among the newest `n` entries of its stream, 1 to 65,536.
    ///
    /// A call that is repeated later than that is stored again. It costs a look at up to `n` entries for
    /// each stream whose events have ids.
    case window(Int)
    /// An id is recognised for ever, by an index of the ids of each stream.
    ///
    /// It costs a look-up in the index and a row of some 35 bytes for each event with an id.
    case always

    /// The numbers that a window may have.
    static let windows = 1...65_536

    /// The words of the command line.
    public var description: String {
      switch self {
      case .window(let count): "window=\(count)"
      case .always: "always"
      }
    }

    /// Throws `wrongUse` for a window of a length that no store has.
    func check() throws(AnnalsError) {
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
  var idempotency: StoreOptions.Idempotency {
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
  /// Throws `wrongUse` where the store recognises ids in another way than its opener asks for.
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
  func idempotency() throws(AnnalsError) -> StoreOptions.Idempotency {
    var meta = StoreMeta(log: UUID())
    for name in [StoreMeta.Name.window, .requires] { try read(name, into: &meta) }
    return meta.idempotency
  }
}
