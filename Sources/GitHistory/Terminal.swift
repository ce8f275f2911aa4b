import Annals
import Foundation

/// A line that is overwritten during work; nothing is shown if standard error is no terminal.
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

/// Standard output, unbuffered.
struct StandardOutput: TextOutputStream {
  /// The first write error; nothing is written after it.
  private(set) var failure: (any Error)?

  mutating func write(_ text: String) {
    guard failure == nil else { return }
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch { failure = error }
  }
}

/// Standard error.
struct StandardError: TextOutputStream {
  mutating func write(_ text: String) {
    // A failure cannot be reported anywhere; the exit status shows it.
    do { try FileHandle.standardError.write(contentsOf: Data(text.utf8)) } catch {}
  }
}

extension TextOutputStream {
  /// Writes `text` and ends the line.
  mutating func line(_ text: String = "") {
    write(text + "\n")
  }
}

extension BinaryInteger {
  /// The number with commas as thousands separators.
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
  /// The text as one word of a shell command.
  var shellWord: String {
    let plain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,=".contains($0)) }
    return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}

extension CommandWord {
  /// The bytes as one word of a shell command; bytes that are not UTF-8 need the quotes of bash.
  var shellWord: String {
    if let text { return text.shellWord }
    let escaped = bytes.map { byte in
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
        ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "$'\(escaped.joined())'"
  }
}
