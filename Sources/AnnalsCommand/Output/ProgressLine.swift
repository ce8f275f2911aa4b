import Annals

/// One line on a terminal that says how far long work has come, and is wiped out at the end.
struct ProgressLine {
  /// The shortest time between two changes, so that the terminal does not slow the work.
  private static let interval = Duration.milliseconds(100)

  /// What was noted, in order.
  private(set) var notes: [CommandNote] = []

  private let show: (([UInt8]) -> Void)?
  private var last: ContinuousClock.Instant?

  /// A line that is shown by writing to a terminal; nothing happens without one.
  init(to show: (([UInt8]) -> Void)? = nil) {
    self.show = show
  }

  /// A line on standard error, where that is a terminal.
  static var standardError: ProgressLine {
    guard Descriptor.standardError.isTerminal else { return ProgressLine() }
    return ProgressLine { bytes in
      do { try Descriptor.standardError.write(bytes) } catch {
        // A terminal that is gone makes progress unimportant; the work itself goes on.
      }
    }
  }

  /// Shows `text` in place of what was there, unless something was shown a moment ago.
  mutating func update(_ text: @autoclosure () -> String) {
    guard let show else { return }
    let now = ContinuousClock.now
    if let last, now - last < Self.interval { return }
    last = now
    show(Array("\r\(text())\u{1b}[K".utf8))
  }

  /// Keeps something that is to be said on standard error when the work is done.
  mutating func note(_ note: CommandNote) { notes.append(note) }

  /// Wipes the line out.
  mutating func clear() {
    guard let show, last != nil else { return }
    last = nil
    show(Array("\r\u{1b}[K".utf8))
  }
}

/// A message for people and programs although nothing went wrong.
struct CommandNote {
  /// The line for people.
  let text: String
  /// The line for programs.
  let line: ReportLine
}
