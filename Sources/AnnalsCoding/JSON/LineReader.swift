/// Splits bytes that come in chunks into lines.
///
/// Lines end with LF or CRLF, the last one also without; a byte order mark at the very start is passed over.
/// Lines of nothing but spaces and tabs are passed over too, but counted. No more is kept than the longest line and one chunk.
package struct LineReader {
  private var buffer: [UInt8] = []
  /// Where the line that is looked for begins.
  private var start = 0
  /// Up to where there is no end of a line: no byte is looked at twice.
  private var searched = 0
  private var isEnded = false
  private var isBegun = false
  private let lengthLimit: Int
  /// How many lines have been begun: the number of the line last given.
  package private(set) var number = 0

  /// A splitter that refuses lines of more than `lengthLimit` bytes, 128 MiB unless told.
  package init(lengthLimit: Int = 128 << 20) {
    self.lengthLimit = lengthLimit
  }

  /// Takes the next bytes of the input.
  package mutating func feed(_ chunk: Span<UInt8>) {
    // What is behind us goes before more comes, and only then: moving the rest costs as much as it is long.
    if start > 0 {
      buffer.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    buffer.append(chunk)
  }

  /// Says that nothing follows, so that what is left is the last line.
  package mutating func end() {
    isEnded = true
  }

  /// The next line without its end; `nil` where more must be fed, or after the end of everything.
  ///
  /// - Throws: ``JSONFailure`` with the number of a line that is longer than the limit.
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

  /// Whether the start of the input has been dealt with; it cannot be before three bytes are there.
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
  /// Where, from `start` on, the first line feed stands, or the bytes end.
  fileprivate func lineFeed(from start: Int) -> Int {
    unsafe withUnsafeBytes { bytes in
      unsafe UnsafeRawBufferPointer(rebasing: bytes[start...]).firstIndex(of: 0x0a).map { start + $0 }
        ?? bytes.count
    }
  }
}
