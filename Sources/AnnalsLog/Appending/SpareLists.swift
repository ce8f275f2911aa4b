import Synchronization

/// The lists of a large call that has ended, whose memory the next large call uses.
///
/// Lists of megabytes come from the system as pages that it has to clear, and go back to it when they are
/// freed. For a large call that takes as long as everything else that its caller does.
package final class SpareLists: Sendable {
  /// The lists of a call.
  struct Lists: Sendable {
    var parts: [AppendRequest.Part]
    var items: [AppendRequest.Item]
    var contents: [UInt8]

    /// The bytes of memory that they take.
    fileprivate var bytes: Int {
      parts.capacity * MemoryLayout<AppendRequest.Part>.stride
        + items.capacity * MemoryLayout<AppendRequest.Item>.stride + contents.capacity
    }
  }

  /// The number of events from which on a call is large.
  static let large = 256
  /// The most bytes that are kept.
  private static let most = 8 << 20

  private let lists = Mutex<Lists?>(nil)

  init() {}

  /// Keeps the lists of a call that ends, unless they are too large.
  func keep(_ ended: Lists) {
    guard ended.bytes <= Self.most else { return }
    lists.withLock { $0 = ended }
  }

  /// Returns empty lists, if any are kept.
  func take() -> Lists? {
    guard var taken = lists.withLock({ $0.take() }) else { return nil }
    taken.parts.removeAll(keepingCapacity: true)
    taken.items.removeAll(keepingCapacity: true)
    taken.contents.removeAll(keepingCapacity: true)
    return taken
  }
}

extension AppendRequest {
  /// Its lists.
  var lists: SpareLists.Lists {
    SpareLists.Lists(parts: parts, items: items, contents: contents.short)
  }

  /// Moves what there is so far to spare lists, if there are any.
  mutating func move(to spare: SpareLists) {
    guard var taken = spare.take() else { return }
    taken.parts += parts
    taken.items += items
    taken.contents += contents.short
    parts = taken.parts
    items = taken.items
    contents.short = taken.contents
  }
}
