package import AnnalsCoding
internal import AnnalsFormat

extension LentEntry {
  /// Runs what reads a part of the entry's layout.
  package func layout<Value>(_ read: () throws(FormatFailure) -> Value) throws(AnnalsError) -> Value {
    do throws(FormatFailure) { return try read() } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// Whether a pass has set the entry aside.
  package var isQuarantined: Bool {
    get throws(AnnalsError) {
      if !header.flags.contains(.extensions) { return false }
      return try layout { () throws(FormatFailure) in try header.isQuarantined(bytes) }
    }
  }

  /// Whether the entry is one payload, and no pass has set it aside. It may have extensions.
  package var isPlain: Bool {
    get throws(AnnalsError) {
      if header.flags.isDisjoint(with: .special) { return true }
      guard header.flags.isDisjoint(with: .otherBodies) else { return false }
      return try !isQuarantined
    }
  }

  /// The bytes of the body.
  package var body: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(header.body) }
  }
}
