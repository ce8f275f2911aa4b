public import AnnalsLog
internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsStore
internal import LMDB
import Synchronization

/// The memory of all views of this process: rows that they keep or have changed, and pages of events.
///
/// Rows count with the size of their encoding and of their keys, and a constant for each.
package enum ViewMemory {
  /// The bytes at the peak that are worth the time of giving them back to the system.
  private static let worth = 16 << 20

  /// The memory of rows.
  static let rows = Share()
  /// The memory of pages.
  static let pages = Share()
  private static let peak = Atomic(0)

  /// The number of reserved bytes.
  package static var reserved: Int { rows.reserved + pages.reserved }

  /// The memory of one kind. The kinds have limits of their own: pages that wait to be folded must not keep a
  /// fold from the memory without which it cannot go on.
  struct Share: ~Copyable {
    private let used = Atomic(0)

    /// The number of reserved bytes.
    var reserved: Int { used.load(ordering: .relaxed) }

    /// Reserves memory if all views together then have no more of the kind than a limit.
    func reserve(_ count: Int, within limit: Int) -> Bool {
      reserve(upTo: count, atLeast: count, within: limit) != nil
    }

    /// Reserves memory: at most half of the rest, unless that is less than `least`.
    ///
    /// - Returns: The number of bytes; `nil` if there is less than `least`, and nothing is reserved.
    func reserve(upTo most: Int, atLeast least: Int, within limit: Int) -> Int? {
      var known = reserved
      while true {
        let left = limit - known
        guard left >= least else { return nil }
        let count = min(most, max(left / 2, least))
        let (isExchanged, now) = used.weakCompareExchange(
          expected: known, desired: known + count, ordering: .relaxed)
        if isExchanged {
          peak.max(ViewMemory.reserved, ordering: .relaxed)
          return count
        }
        known = now
      }
    }

    /// Counts memory that is in use already.
    func add(_ count: Int) { used.add(count, ordering: .relaxed) }

    /// Returns memory.
    func release(_ count: Int) { used.subtract(count, ordering: .relaxed) }
  }

  /// Gives memory back to the system once views have returned most of it. The allocator would keep it.
  static func giveBack() {
    let (peak, rest) = (peak.load(ordering: .relaxed), reserved)
    guard peak >= worth, rest <= peak / 8,
      Self.peak.compareExchange(expected: peak, desired: rest, ordering: .relaxed).exchanged
    else { return }
    FreeMemory.giveBack()
  }
}

/// The parts of the memory of all views that one view may take.
struct ViewBudget: Sendable {
  /// The least memory with which views work.
  static let least = 1 << 20

  /// The most bytes of all views together.
  let limit: Int

  /// The default.
  init() { limit = StoreOptions().viewMemory }

  init(_ options: StoreOptions) throws(AnnalsError) {
    limit = options.viewMemory
    guard limit >= Self.least else {
      throw AnnalsError(
        .wrongUse,
        "the option viewMemory is \(limit) bytes, and views need at least \(Self.least); give StoreOptions.viewMemory a larger value"
      )
    }
  }

  /// The limit for rows.
  var rows: Int { limit / 4 * 3 }
  /// The limit for pages. It has room for the least pages of all threads that read.
  var pages: Int { limit / 4 }
  /// The most bytes of rows that views keep between batches. The rest is left to those that fold.
  var kept: Int { limit / 2 }
  /// The most bytes that a batch stages.
  var batch: Int { limit / 2 }
  /// The bytes that a fold reserves ahead, before it folds the next event.
  var step: Int { limit / 1024 }
  /// The most and the least memory of a page.
  var page: (most: Int, least: Int) { (limit / 16, limit / 128) }
}

extension StoreOptions {
  /// The memory for all views of this process, in bytes: rows that they keep or have changed, and events that
  /// they have read. The default is 64 MiB.
  ///
  /// With less memory, views store smaller batches. Rows are freed when a view has had nothing to do for two
  /// seconds. Two amounts are not included: LMDB's copies of the pages that a batch changes, and the rows of
  /// a single event that do not fit, which is folded separately.
  ///
  /// The limit counts the views of all stores of the process. If stores have different values, a view takes
  /// memory only while all views together stay within the value of its own store, so the sum never exceeds
  /// the largest value. The first opener of a store's views in the process decides for them.
  ///
  /// With less than 1 MiB, `store.view(_:)` fails with `wrongUse`.
  public var viewMemory: Int {
    get { self[ViewMemoryOption.self]?.bytes ?? 64 << 20 }
    set { self[ViewMemoryOption.self] = ViewMemoryOption(bytes: newValue) }
  }
}

/// The option as a type of its own, by which options of upper layers are found.
private struct ViewMemoryOption: Sendable {
  let bytes: Int
}
