package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A generation as the threads of a pass read it: in short snapshots, without heads.
package final class RewriteSource: Sendable {
  let environment: Environment
  let tables: StoreTables
  /// The id that all generations of the log share.
  package let log: UUID
  /// The replacements for unreadable entries; `nil` except in a repair.
  private let patch: EntryPatch?
  /// The entries that truncations hide, which a pass turns into stubs.
  package let hidden: HiddenEntries
  /// The ids of the streams whose first entries differ between the generations, because a pass removes their
  /// names.
  package let nameless: Set<UInt64>
  private let lastKinds = Mutex<KindRegistry?>(nil)

  package init(
    _ environment: Environment, log: UUID, patch: EntryPatch? = nil, hidden: HiddenEntries = .none,
    nameless: Set<UInt64> = []
  ) {
    self.nameless = nameless
    self.hidden = hidden
    self.environment = environment
    self.patch = patch
    tables = StoreTables(environment)
    self.log = log
  }

  /// The kinds as the snapshot of `reader` has them at least.
  func kinds(in reader: StoreReader) throws(AnnalsError) -> KindRegistry {
    if let known = lastKinds.withLock({ $0 }), try reader.kindCount() <= known.kinds.count,
      try reader.schemaEpoch() <= known.epoch
    {
      return known
    }
    let newer = try reader.kinds()
    lastKinds.withLock { $0 = newer }
    return newer
  }

  /// The position of the newest entry; 0 in an empty log.
  package func last() throws(AnnalsError) -> UInt64 {
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    return try StoreReader(transaction.view, tables).last()
  }

  /// What is before the entries of a snapshot with these kinds; `nil` for a plan without folds.
  package func past(_ kinds: KindRegistry, _ reach: PlanResolver) -> StoredPast? {
    StoredPast(environment, tables, kinds, log: log, reach)
  }

  /// Calls `body` with a snapshot and its kinds.
  package func read<Result>(
    _ body: (StoreReader, KindRegistry) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    let reader = StoreReader(transaction.view, tables)
    return try body(reader, kinds(in: reader))
  }

  /// Lends each entry of `positions` to `body`, in one snapshot, until that returns `false` or the range
  /// ends.
  ///
  /// A missing position is damage.
  ///
  /// - Parameters:
  ///   - begin: Takes the kinds that the snapshot has.
  ///   - expect: Is called with the probable stream of the next entry before `body` is called with this one.
  package func read(
    _ positions: ClosedRange<UInt64>, _ begin: (KindRegistry) throws(AnnalsError) -> Void,
    expecting expect: (Position) -> Void = { _ in },
    _ body: (borrowing LentEntry, StoreReader) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    let reader = StoreReader(transaction.view, tables)
    try begin(kinds(in: reader))
    var cursor = try reader.entriesCursor()
    if patch == nil { return try read(positions, reader, &cursor, expecting: expect, body) }
    var position = positions.lowerBound
    var isPlaced = false
    while true {
      if let stub = patch?.entries[position] {
        guard try body(try reader.lend(stub.span, at: Position(position)), reader),
          position < positions.upperBound
        else { return }
        position += 1
        isPlaced = false
        continue
      }
      let row: IntegerRow?
      do throws(EnvironmentError) {
        row = try isPlaced ? cursor.next() : cursor.seek(position)
      } catch {
        throw AnnalsError(error)
      }
      guard let row, row.key == position else { throw AnnalsError(missing: Position(position)) }
      guard try body(try reader.lend(row.value, at: Position(position)), reader),
        position < positions.upperBound
      else { return }
      position += 1
      isPlaced = true
    }
  }
  /// Lends each entry, and looks at the next one before: its memory and that of its stream's name are loaded
  /// meanwhile.
  private func read(
    _ positions: ClosedRange<UInt64>, _ reader: StoreReader, _ cursor: inout IntegerCursor,
    expecting expect: (Position) -> Void,
    _ body: (borrowing LentEntry, StoreReader) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    var position = positions.lowerBound
    var row: IntegerRow?
    do throws(EnvironmentError) { row = try cursor.seek(position) } catch { throw AnnalsError(error) }
    while true {
      guard let current = row, current.key == position else {
        throw AnnalsError(missing: Position(position))
      }
      var failure: EnvironmentError?
      if position < positions.upperBound {
        do throws(EnvironmentError) { row = try cursor.next() } catch { failure = error }
        if let next = row {
          next.fetchNext()
          if let stream = EntryHeader.likelyStream(of: next.value) { expect(stream) }
        }
      }
      guard try body(try reader.lend(current.value, at: Position(position)), reader),
        position < positions.upperBound
      else { return }
      // What is wrong with the next entry is not to hide an error of this one.
      if let failure { throw AnnalsError(failure) }
      position += 1
    }
  }
}
