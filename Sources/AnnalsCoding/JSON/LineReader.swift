/// A splitter of bytes in chunks into lines.
///
/// Lines end with LF or CRLF; the last one may have no end. A byte order mark at the very start is skipped.
/// Lines of only spaces and tabs are also skipped, but counted. At most the longest line and one chunk are
/// kept in memory.
package struct LineReader {
  private var buffer: [UInt8] = []
  /// The offset of the current line.
  private var start = 0
  /// The offset up to which there is no line end: no byte is searched twice.
  private var searched = 0
  private var isEnded = false
  private var isBegun = false
  private let lengthLimit: Int
  /// The number of lines begun, which is the number of the last returned line.
  package private(set) var number = 0

  /// Creates a splitter that refuses lines of more than `lengthLimit` bytes; the default is 128 MiB.
  package init(lengthLimit: Int = 128 << 20) {
    self.lengthLimit = lengthLimit
  }

  /// Adds the next bytes of the input.
  package mutating func feed(_ chunk: Span<UInt8>) {
    // Consumed bytes are removed before more are added, and only then: moving the rest costs as much as it is
    // long.
    if start > 0 {
      buffer.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    buffer.append(chunk)
  }

  /// Marks the end of the input, so that the remaining bytes are the last line.
  package mutating func end() {
    isEnded = true
  }

  /// Returns the next line without its end; `nil` if more input is needed, or after the end of the input.
  ///
  /// - Throws: ``JSONFailure`` with the number of a line that exceeds the limit.
  package mutating func next() throws(JSONFailure) -> ArraySlice<UInt8>? {
    guard skipByteOrderMark() else { return nil }
    while true {
      let end = buffer.span.lineFeed(from: searched)
      searched = end
      let isWhole = end < buffer.count
      guard end - start <= lengthLimit else {
        throw JSONFailure(reason: .lineTooLong, line: number + 1, column: lengthLimit + 1)
      }
      guard isWhole || isEnded && start < buffer.count else { return nil }
      var line = start..<end
      start = isWhole ? end + 1 : end
      searched = start
      number += 1
      if let last = buffer[line].last, last == 0x0d {
        line = line.lowerBound..<(line.upperBound - 1)
      }
      if !buffer[line].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) {
        return buffer[line]
      }
    }
  }

  /// Returns whether the start of the input has been checked; that needs three bytes.
  private mutating func skipByteOrderMark() -> Bool {
    if isBegun {
      return true
    }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    guard buffer.count >= mark.count || isEnded || !mark.starts(with: buffer) else { return false }
    if buffer.starts(with: mark) {
      start = mark.count
      searched = start
    }
    isBegun = true
    return true
  }
}

extension Span<UInt8> {
  /// Returns the offset of the first line feed from `start` on, or the end.
  fileprivate func lineFeed(from start: Int) -> Int {
    unsafe withUnsafeBytes { bytes in
      unsafe UnsafeRawBufferPointer(rebasing: bytes[start...]).firstIndex(of: 0x0a).map { start + $0 }
        ?? bytes.count
    }
  }
}
