package import AnnalsCoding

/// The lines of a dump that are too long for an import.
///
/// Names may make a payload many times as long as it is in the log, so a log can have events whose lines no
/// import takes.
package struct LongLines: Sendable {
  /// The most bytes of a line without its end.
  package let lineLimit: Int
  /// The most bytes of a payload by name.
  package let payloadLimit: Int
  /// The number of such lines.
  package private(set) var count: UInt64 = 0
  /// The position of the entry of the first one.
  package private(set) var first: Position?

  /// No lines yet. By default the limits are those of an import into a store with default options.
  package init(lineLimit: Int = 128 << 20, payloadLimit: Int = 64 << 20) {
    self.lineLimit = lineLimit
    self.payloadLimit = payloadLimit
  }

  /// Counts the line of an entry if it is too long.
  ///
  /// - Parameters:
  ///   - length: The number of bytes of the line, with its end.
  ///   - entry: The entry. Lines of stubs and of parts are refused by an import for what they are.
  mutating func add(_ length: Int, of entry: LogEntry) {
    guard case .payload(let payload) = entry.content else { return }
    guard length - 1 > lineLimit || payload.bytes.count > payloadLimit else { return }
    count += 1
    first = first ?? entry.position
  }
}
