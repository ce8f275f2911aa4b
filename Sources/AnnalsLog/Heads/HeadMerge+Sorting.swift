internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB
import Synchronization

// The heads to write in a merge, and the thread that sorts them.
extension HeadMerge {
  /// The heads to write in a merge, in the order of the rows, and its progress.
  struct Plan {
    let frozen: FrozenHeads
    let names: FrozenNames
    /// The elapsed share of the time for the merge when its first row could be written.
    var start = 0.0
    var nextName = 0
    var nextHead = 0

    init(_ sorted: FrozenHeads, names: FrozenNames) {
      frozen = sorted
      self.names = names
    }

    var count: Int { names.count + frozen.heads.count }
    var rest: Int { count - nextName - nextHead }
    /// The number of rows by which it may be late before appends wait for it.
    var slack: Int { count / 8 }
  }

  /// Sorts heads in another thread.
  final class Sorting: Sendable {
    let frozen: FrozenHeads
    private let result = Mutex<Result<Plan, AnnalsError>?>(nil)
    private let thread = Mutex<WriterThread?>(nil)

    init(_ frozen: FrozenHeads) {
      self.frozen = frozen
    }

    /// Begins to sort. If the thread cannot start, that is a failure.
    func start(in generation: Generation) {
      do {
        let started = try WriterThread(name: "annals-sorter") { [self, frozen] in
          let plan = Result { () throws(AnnalsError) in try HeadMerge.plan(frozen, in: generation) }
          result.withLock { $0 = plan }
        }
        thread.withLock { $0 = started }
      } catch {
        result.withLock { $0 = .failure(AnnalsError(error)) }
      }
    }

    /// The sorted result; `nil` before the end.
    var plan: Result<Plan, AnnalsError>? { result.withLock { $0 } }

    /// Waits for the thread to end and release everything.
    func join() {
      thread.withLock { $0 }?.join()
    }
  }

  /// Sorts the heads to write. The names of new streams are in their first entries.
  private static func plan(
    _ frozen: FrozenHeads, in generation: Generation
  ) throws(AnnalsError) -> Plan {
    try generation.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try plan(frozen, StoreReader(transaction.view, generation.tables))
    }
  }

  static func plan(
    _ frozen: FrozenHeads, _ reader: StoreReader
  ) throws(AnnalsError) -> Plan {
    var sorted = frozen
    sorted.sort()
    var names = FrozenNames(capacity: frozen.births.count)
    for id in frozen.births {
      try reader.withName(of: Position(id)) { names.add($0.span, id: id) }
    }
    names.sort()
    names.gather()
    return Plan(sorted, names: names)
  }
}
