internal import AnnalsCoding
internal import LMDB
import Synchronization

// What a merge has to write, and the thread that sorts it.
extension HeadMerge {
  /// What a merge has to write, in the order of the rows, and how far it is.
  struct Plan {
    let frozen: FrozenHeads
    let names: [(name: StreamName, id: UInt64)]
    var nextName = 0
    var nextHead = 0

    init(_ sorted: FrozenHeads, names: [(name: StreamName, id: UInt64)]) {
      frozen = sorted
      self.names = names
    }

    var count: Int { names.count + frozen.heads.count }
    var rest: Int { count - nextName - nextHead }
    /// How many rows it may be late with before appends wait for it.
    var slack: Int { count / 4 }
  }

  /// What another thread sorts.
  final class Sorting: Sendable {
    let frozen: FrozenHeads
    private let result = Mutex<Result<Plan, AnnalsError>?>(nil)
    private let thread = Mutex<WriterThread?>(nil)

    init(_ frozen: FrozenHeads) {
      self.frozen = frozen
    }

    /// Begins to sort; what cannot be begun is a failure.
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

    /// What was sorted, `nil` before the end.
    var plan: Result<Plan, AnnalsError>? { result.withLock { $0 } }

    /// Waits for the end, after which the thread holds nothing.
    func join() {
      thread.withLock { $0 }?.join()
    }
  }

  /// Sorts what is to be written; the names of new streams stand in their first entries.
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
    var names: [(name: StreamName, id: UInt64)] = []
    names.reserveCapacity(frozen.births.count)
    for id in frozen.births { names.append((try reader.name(of: Position(id)), id)) }
    names.sort { $0.name < $1.name }
    return Plan(sorted, names: names)
  }
}
