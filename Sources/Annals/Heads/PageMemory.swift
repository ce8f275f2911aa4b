internal import CAnnals

/// A run of words in pages of its own, all zero at first, given back when this ends.
///
/// The one file in which heads are memory and not values: every access compares the place with the bounds.
@safe
struct PageMemory: ~Copyable {
  private var words: UnsafeMutablePointer<UInt64>
  /// How many words there are.
  private(set) var count: Int

  /// Memory for `count` words, at least one.
  init(count: Int) {
    unsafe words = Self.allocate(count)
    self.count = count
  }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    guard let pages = unsafe annals_pages_allocate(count * 8) else {
      // As for an array that cannot grow, there is nothing that the process could go on with.
      preconditionFailure("no memory for \(count * 8) bytes")
    }
    return unsafe pages.bindMemory(to: UInt64.self, capacity: count)
  }

  deinit {
    unsafe annals_pages_free(words, count * 8)
  }

  /// The word at `index`.
  subscript(index: Int) -> UInt64 {
    @inline(__always)
    get {
      precondition(index >= 0 && index < count)
      return unsafe words[index]
    }
    @inline(__always)
    set {
      precondition(index >= 0 && index < count)
      unsafe words[index] = newValue
    }
  }

  /// Begins to load the word at `index`, which may be anything.
  @inline(__always)
  func prefetch(_ index: Int) {
    unsafe annals_prefetch(words + index)
  }

  /// Makes room for twice as many words.
  ///
  /// The words move piece by piece, and pages are taken as they are written. So no more memory is in use
  /// afterwards, nor meanwhile but for one piece.
  mutating func double() {
    let larger = unsafe Self.allocate(count * 2)
    unsafe annals_pages_move(larger, words, count * 8)
    unsafe words = larger
    count *= 2
  }
}
