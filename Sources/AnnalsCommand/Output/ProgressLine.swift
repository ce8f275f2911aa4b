import Annals

/// One line on a terminal that shows the progress of long work, and is erased at the end.
package struct ProgressLine {
  /// The shortest time between two updates, so that the terminal does not slow the work.
  private static let interval = Duration.milliseconds(100)

  /// The notes, in order.
  private(set) var notes: [CommandNote] = []

  private let show: (([UInt8]) -> Void)?
  private var last: ContinuousClock.Instant?

  /// Creates a line that is shown with `show`; without it, nothing is shown.
  init(to show: (([UInt8]) -> Void)? = nil) {
    self.show = show
  }

  /// A line on standard error, if that is a terminal.
  static var standardError: ProgressLine {
    guard Descriptor.standardError.isTerminal else { return ProgressLine() }
    return ProgressLine { bytes in
      do { try Descriptor.standardError.write(bytes) } catch {
        // If the terminal is gone, progress does not matter, and the work continues.
      }
    }
  }

  /// Replaces the line with `text`, unless it was updated a moment ago.
  package mutating func update(_ text: @autoclosure () -> String) {
    guard let show else { return }
    let now = ContinuousClock.now
    if let last, now - last < Self.interval { return }
    last = now
    show(Array("\r\(text())\u{1b}[K".utf8))
  }

  /// Keeps a note to write to standard error when the work is done.
  mutating func note(_ note: CommandNote) { notes.append(note) }

  /// Erases the line.
  mutating func clear() {
    guard let show, last != nil else { return }
    last = nil
    show(Array("\r\u{1b}[K".utf8))
  }
}

/// A message for people and programs that is no error.
struct CommandNote {
  /// The line for people.
  let text: String
  /// The line for programs.
  let line: ReportLine
}
