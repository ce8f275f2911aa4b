#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A terminal that shows one screen after another and reads single keys, until this value ends.
///
/// The screen that was there before comes back at the end, with the cursor and the settings of the terminal.
final class Terminal {
  private let input: Descriptor
  private let output: Descriptor
  private let settings: termios

  /// Takes over the terminal of standard input and output; `nil` if one of them is no terminal.
  init?(input: Descriptor = .standardInput, output: Descriptor = .standardOutput) throws(SystemError) {
    guard input.isTerminal, output.isTerminal else { return nil }
    settings = try input.terminalSettings()
    self.input = input
    self.output = output
    var raw = settings
    // Keys come one by one and unechoed. Ctrl-C and Ctrl-Z come as keys too: a stop would leave the screen.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    try input.set(raw)
    // The alternate screen, no cursor, and no line that goes on in the next one.
    try output.write(Array("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J".utf8))
  }

  deinit {
    do {
      try output.write(Array("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l".utf8))
      try input.set(settings)
    } catch {
      // The terminal is gone, so there is nothing to restore.
    }
  }

  /// The rows and columns of the terminal now.
  var size: (rows: Int, columns: Int) { output.terminalSize ?? (24, 80) }

  /// Shows `lines`, over those that were there, in one write and without erasing the screen first.
  func show(_ lines: [String]) throws(SystemError) {
    try output.write(Array(Self.frame(lines, rows: size.rows).utf8))
  }

  /// Returns the bytes that replace a screen by `lines`. Each line erases its own rest.
  static func frame(_ lines: [String], rows: Int) -> String {
    let shown = lines.prefix(max(rows, 1)).map { "\($0)\u{1b}[K" }.joined(separator: "\r\n")
    // A terminal that knows the first and last sequence draws all of it at once.
    return "\u{1b}[?2026h\u{1b}[H\(shown)\u{1b}[J\u{1b}[?2026l"
  }

  /// Waits for a key that ends a display: q, Ctrl-C, Ctrl-D, or the end of the input.
  ///
  /// - Returns: Whether one was pressed within the time.
  func isEnded(within milliseconds: Int) throws(SystemError) -> Bool {
    guard try input.isReadable(within: milliseconds) else { return false }
    let keys = try input.read(atMost: 64)
    return keys.isEmpty || keys.contains { [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4].contains($0) }
  }
}
