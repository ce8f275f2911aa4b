internal import AnnalsCoding

/// Turns entries of one generation into those of the next. Each thread of a pass has its own.
protocol EntryRewriter: AnyObject {
  /// Takes the kinds that the snapshot has which the next entries are read from.
  func enter(_ kinds: KindRegistry) throws(AnnalsError)

  /// Adds to `run` what `entry` is in the next generation, without rows of kinds.
  ///
  /// - Throws: ``AnnalsError``: what a read of the entry throws, or `malformed` if an event has no encoding.
  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError)
}

extension LentEntry {
  /// Runs what reads a part of the entry's layout.
  func layout<Value>(_ read: () throws(FormatFailure) -> Value) throws(AnnalsError) -> Value {
    do throws(FormatFailure) { return try read() } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// Whether a pass has set the entry aside.
  var isQuarantined: Bool {
    get throws(AnnalsError) {
      if !header.flags.contains(.extensions) { return false }
      return try layout { () throws(FormatFailure) in try header.isQuarantined(bytes) }
    }
  }

  /// The bytes of the body.
  var body: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(header.body) }
  }
}
