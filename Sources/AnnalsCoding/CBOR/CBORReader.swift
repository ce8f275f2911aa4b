/// A reader of heads, lengths and texts from borrowed bytes.
///
/// It checks every length against the remaining bytes before it reads or reserves anything.
@usableFromInline package struct CBORReader: ~Copyable, ~Escapable {
  /// The bytes read from.
  @usableFromInline package let bytes: Span<UInt8>
  /// The offset of the next byte.
  @usableFromInline package var offset: Int

  /// Creates a reader of `bytes` that begins at `offset`.
  @_lifetime(copy bytes)
  @inlinable package init(_ bytes: Span<UInt8>, at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The number of remaining bytes.
  @inlinable package var remaining: Int { bytes.count &- offset }

  /// Returns the next byte without consuming it.
  @inline(__always)
  @inlinable package func peek() throws(CodingFailure) -> UInt8 {
    guard offset < bytes.count else { throw CodingFailure(.truncated, at: offset) }
    return bytes[offset]
  }

  /// Reads the head of the next item, in any of its forms.
  @inlinable package mutating func head() throws(CodingFailure) -> CBORHead {
    let first = try peek()
    let major = CBORHead.Major(ofFirst: first)
    let info = first & 31
    if info < 24 {
      offset &+= 1
      return CBORHead(major: major, info: info, argument: UInt64(info))
    }
    if info < 28 {
      let width = 1 << Int(info &- 24)
      guard remaining > width else { throw CodingFailure(.truncated, at: offset) }
      var argument: UInt64 = 0
      for index in 1...width {
        argument = argument << 8 | UInt64(bytes[offset &+ index])
      }
      offset &+= 1 &+ width
      return CBORHead(major: major, info: info, argument: argument)
    }
    guard info == 31, major != .unsigned, major != .negative, major != .tag else {
      throw CodingFailure(.malformed, at: offset)
    }
    offset &+= 1
    return CBORHead(major: major, info: info, argument: 0)
  }

  /// Reads a head in its deterministic form.
  @inlinable package mutating func canonicalHead() throws(CodingFailure) -> CBORHead {
    let start = offset
    let head = try self.head()
    guard head.info < 24 || head.isShortest || head.major == .simple else {
      throw CodingFailure(.notCanonical, at: start)
    }
    return head
  }

  /// Skips `length` bytes and returns their range.
  @inline(__always)
  @inlinable package mutating func take(_ length: UInt64) throws(CodingFailure) -> Range<Int> {
    guard length <= UInt64(remaining) else { throw CodingFailure(.truncated, at: offset) }
    let start = offset
    offset &+= Int(length)
    return start..<offset
  }

  /// Returns `count` as a number of items, each of which takes at least `width` bytes.
  @inlinable package func count(_ count: UInt64, width: Int = 1) throws(CodingFailure) -> Int {
    guard count <= UInt64(remaining / width) else { throw CodingFailure(.truncated, at: offset) }
    return Int(count)
  }

  /// Refuses bytes after the last item.
  @inlinable package func finish() throws(CodingFailure) {
    guard offset == bytes.count else { throw CodingFailure(.trailingBytes, at: offset) }
  }

  /// Moves to `offset`, which must not be beyond the end.
  @inlinable package mutating func move(to offset: Int) {
    self.offset = min(offset, bytes.count)
  }

  /// Returns a copy of the bytes of `range`.
  @inlinable package func copy(_ range: Range<Int>) -> [UInt8] {
    bytes.extracting(range).copied
  }

  /// Returns the bytes of `range` as text.
  @inline(__always)
  @inlinable package func text(_ range: Range<Int>) throws(CodingFailure) -> String {
    let text = bytes.extracting(range)
    // ASCII is valid UTF-8, so nothing needs to be validated.
    if text.isASCII { return unsafe String(copying: UTF8Span(unchecked: text, isKnownASCII: true)) }
    do {
      return String(copying: try UTF8Span(validating: text))
    } catch {
      throw CodingFailure(.invalidText, at: range.lowerBound &+ error.byteOffsets.lowerBound)
    }
  }

  /// Refuses a `range` that is not valid UTF-8.
  @inlinable package func checkText(_ range: Range<Int>) throws(CodingFailure) {
    let text = bytes.extracting(range)
    if text.isASCII {
      return
    }
    do {
      _ = try UTF8Span(validating: text)
    } catch {
      throw CodingFailure(.invalidText, at: range.lowerBound &+ error.byteOffsets.lowerBound)
    }
  }
}
