internal import AnnalsCoding

/// The texts of the tags that a writer has met, by slot, in one buffer.
struct TagTexts: Sendable {
  private var buffer: [UInt8] = []
  /// The end of each text in the buffer; each begins where the one before ends.
  private var ends: [Int] = []

  /// The number of texts.
  var count: Int { ends.count }
  /// The number of bytes of all texts.
  var bytes: Int { buffer.count }

  init() {}

  /// Adds the text of the next slot.
  mutating func append(_ text: Span<UInt8>) {
    buffer.append(text)
    ends.append(buffer.count)
  }

  private func range(_ slot: Int) -> Range<Int> { (slot == 0 ? 0 : ends[slot - 1])..<ends[slot] }

  /// Begins to load where the text of a slot is.
  @inline(__always)
  func prefetchPlace(_ slot: Int) { ends.span.prefetch(slot) }

  /// Begins to load the text of a slot, whose place has been loaded.
  @inline(__always)
  func prefetch(_ slot: Int) { buffer.span.prefetch(range(slot).lowerBound) }

  /// Calls `body` with the text of a slot.
  func withText<Result, Failure: Error>(
    _ slot: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(buffer.span.extracting(range(slot)))
  }

  /// Whether the text of a slot has these bytes.
  @inline(__always)
  func isEqual(_ slot: Int, _ text: Span<UInt8>) -> Bool {
    let range = range(slot)
    return range.count == text.count && buffer.span.extracting(range).isEqual(to: text)
  }

  /// Whether the text of a slot sorts before that of another.
  func precedes(_ left: Int, _ right: Int) -> Bool {
    buffer.span.order(of: range(left), against: range(right)) < 0
  }
}
