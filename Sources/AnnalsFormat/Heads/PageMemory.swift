internal import CAnnals

/// A run of words in its own pages, initially zero, which are returned when this value ends.
///
/// Only this file treats heads as memory and not as values: every access checks the bounds.
@safe
@usableFromInline package struct PageMemory: ~Copyable {
  @usableFromInline package private(set) var words: UnsafeMutablePointer<UInt64>
  /// The number of words.
  @usableFromInline package private(set) var count: Int

  /// Memory for `count` words, at least one.
  package init(count: Int) {
    unsafe words = Self.allocate(count)
    self.count = count
  }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    guard let pages = unsafe annals_pages_allocate(count * 8) else {
      // As for an array that cannot grow, the process cannot continue.
      preconditionFailure("no memory for \(count * 8) bytes")
    }
    return unsafe pages.bindMemory(to: UInt64.self, capacity: count)
  }

  deinit {
    unsafe annals_pages_free(words, count * 8)
  }

  /// The word at `index`.
  @usableFromInline package subscript(index: Int) -> UInt64 {
    @inlinable @inline(__always)
    get {
      precondition(index >= 0 && index < count)
      return unsafe words[index]
    }
    @inlinable @inline(__always)
    set {
      precondition(index >= 0 && index < count)
      unsafe words[index] = newValue
    }
  }

  /// Begins to load the word at `index`, which may be anything.
  @usableFromInline package func prefetch(_ index: Int) {
    unsafe annals_prefetch(words + index)
  }

  /// Doubles the number of words.
  ///
  /// The words move piece by piece, and pages are allocated as they are written. So no more memory is in use
  /// afterwards, and only one piece more meanwhile.
  package mutating func double() {
    let larger = unsafe Self.allocate(count * 2)
    unsafe annals_pages_move(larger, words, count * 8)
    unsafe words = larger
    count *= 2
  }
}
