internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// The table `changes` of a view's file: the rows that the last batches have put and removed. It notifies
/// observers of the view in every process.
///
/// While the projection has no observer, a batch records a single change: that rows have changed.
///
/// The table is bounded, so slow observers cost nothing. An observer that falls off its end reads the rows
/// again.
enum ChangeJournal {
  /// The number of changes kept.
  static let limit: UInt64 = 10_000
  /// The number of changes read at a time.
  static let page = 1_024

  /// The kind of a change.
  enum Kind: UInt8 {
    case removed = 0
    case put = 1
    /// More rows than the journal holds have changed at once, or rows have changed while there was no
    /// observer.
    case many = 2
  }

  /// One change.
  struct Change: Equatable {
    package var number: UInt64
    /// The position of the view when the change became visible.
    var position: UInt64
    var kind: Kind
    /// The whole key of the row; empty for `many`.
    var key: [UInt8]
  }

  /// Adds the changes of a batch to the journal, in the transaction that stores them.
  ///
  /// - Parameter isObserved: Whether the projection has an observer. If not, the batch is recorded as a
  ///   whole: an observer that has begun since reads the rows again.
  static func note(
    _ staging: RowStaging, at position: Position, in table: Table, isObserved: Bool,
    _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let count = UInt64(staging.tables.reduce(0) { $0 + $1.changed.count })
    guard count > 0 else { return }
    let (first, last) = try ends(of: table, transaction.view)
    var number = last
    if count > limit || !isObserved {
      number += 1
      try put(
        Change(number: number, position: position.rawValue, kind: .many, key: []), in: table, &transaction)
      return try drop(first..<number, of: table, &transaction)
    }
    for rows in staging.tables {
      let keys = rows.keys
      for changed in rows.changed {
        number += 1
        let kind: Kind = rows.isThere(changed) ? .put : .removed
        try put(
          Change(number: number, position: position.rawValue, kind: kind, key: keys[changed].copied),
          in: table, &transaction)
      }
    }
    if number > limit, first <= number - limit {
      try drop(first..<(number - limit + 1), of: table, &transaction)
    }
  }

  private static func put(
    _ change: Change, in table: Table, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    try transaction.put(encoded(change), change.number, in: table)
  }

  /// The position as a varint, a byte for the kind, then the whole key.
  static func encoded(_ change: Change) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: change.position)
    bytes.append(change.kind.rawValue)
    return bytes + change.key
  }

  private static func drop(
    _ numbers: Range<UInt64>, of table: Table, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    do throws(EnvironmentError) {
      for number in numbers { try transaction.delete(key: number, in: table) }
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Returns the numbers of the first and the last change; 1 and 0 if there is none.
  static func ends(of table: Table, _ view: TransactionView) throws(AnnalsError) -> (
    first: UInt64, last: UInt64
  ) {
    do throws(EnvironmentError) {
      var cursor = try view.integerCursor(in: table)
      guard let first = try cursor.first()?.key, let last = try cursor.last()?.key else { return (1, 0) }
      guard FormatRange.positions.contains(last) else {
        throw EnvironmentError.file(
          .damaged(file: "changes", reason: "a change has the number \(last)", offset: 0))
      }
      return (first, last)
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Returns the changes after one, up to the number read at a time.
  ///
  /// - Returns: `nil` if some of them are not kept any more.
  static func changes(
    after seen: UInt64, in table: Table, _ view: TransactionView, of name: String
  ) throws(AnnalsError) -> [Change]? {
    let (first, last) = try ends(of: table, view)
    guard last > seen else { return last == seen ? [] : nil }
    guard first <= seen + 1 else { return nil }
    var changes: [Change] = []
    do throws(EnvironmentError) {
      var cursor = try view.integerCursor(in: table)
      var row = try cursor.seek(seen + 1)
      while let found = row, changes.count < page {
        do throws(FormatFailure) { changes.append(try change(found.key, found.value)) } catch {
          throw .file(.damaged(file: name, reason: "a change is not what was stored (\(error))", offset: 0))
        }
        row = try cursor.next()
      }
    } catch {
      throw AnnalsError(error)
    }
    return changes.contains { $0.kind == .many } ? nil : changes
  }

  private static func change(_ number: UInt64, _ stored: Span<UInt8>) throws(FormatFailure) -> Change {
    let key = Row.key(number)
    var reader = ByteReader(stored.extracting(try Row.open(stored, key: key.span)))
    let position = try reader.number()
    guard let kind = Kind(rawValue: try reader.byte()) else { throw FormatFailure(.value, at: 0) }
    let whole = reader.copy(try reader.range(count: reader.remaining))
    return Change(number: number, position: position, kind: kind, key: whole)
  }
}
