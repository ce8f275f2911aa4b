internal import CAnnals

/// A run of words in pages of its own, all zero at first, given back when this ends.
///
/// The one file in which heads are memory and not values: every access compares the place with the bounds.
@safe
struct PageMemory: ~Copyable {
  private let words: UnsafeMutablePointer<UInt64>
  /// How many words there are.
  let count: Int

  /// Memory for `count` words, at least one.
  init(count: Int) {
    guard let pages = unsafe annals_pages_allocate(count * 8) else {
      // As for an array that cannot grow, there is nothing that the process could go on with.
      preconditionFailure("no memory for \(count * 8) bytes")
    }
    unsafe words = pages.bindMemory(to: UInt64.self, capacity: count)
    self.count = count
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

  /// Takes over the words of `other`, which has no more.
  mutating func copy(from other: borrowing PageMemory) {
    precondition(other.count <= count)
    unsafe words.update(from: other.words, count: other.count)
  }
}
