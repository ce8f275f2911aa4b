import Foundation

/// A line that is written over again while work goes on; nothing where standard error is no terminal.
struct ProgressLine {
  private let isTerminal: Bool
  private var last = ContinuousClock.now

  init() {
    isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
  }

  /// Shows `text()`, at most ten times a second.
  mutating func show(_ text: @autoclosure () -> String) {
    guard isTerminal, last.duration(to: .now) > .milliseconds(100) else { return }
    last = .now
    FileHandle.standardError.write(Data("\r\(text())\u{1b}[K".utf8))
  }

  /// Removes the line.
  func clear() {
    if isTerminal { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
  }
}

/// Standard output, written at once.
struct StandardOutput: TextOutputStream {
  mutating func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}

/// Standard error.
struct StandardError: TextOutputStream {
  mutating func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

extension TextOutputStream {
  /// Writes `text` and ends the line.
  mutating func line(_ text: String = "") {
    write(text + "\n")
  }
}

extension BinaryInteger {
  /// The number with a comma between each three digits.
  var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0 && index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}

extension String {
  /// The text as one word of a shell's command.
  var shellWord: String {
    let plain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,=".contains($0)) }
    return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
