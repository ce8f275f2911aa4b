internal import AnnalsCoding

/// A reader's lookup in a table of group ends. It caches the last result, because entries are mostly read in
/// order and few of them end a group.
final class GroupEnds {
  /// The table.
  let table: ContextTable
  /// The number of ``chunk``; -1 before the first lookup.
  private var number = -1
  private var chunk: [UInt8] = []
  /// A buffer for a key, reused for each.
  private var key: [UInt8] = []
  /// Positions between which no group ends.
  private var gap: (after: UInt64, before: UInt64) = (0, 0)
  /// The end that was found last.
  private var found: (position: UInt64, path: [UInt32], end: GroupEnd)?

  init(_ table: ContextTable) {
    self.table = table
  }

  /// Returns the group that ends at the record with these coordinates; `nil` if none does.
  func end(at position: UInt64, _ path: [UInt32]) throws(AnnalsError) -> GroupEnd? {
    if gap.after < position, position < gap.before { return nil }
    if let found, found.position == position, found.path == path { return found.end }
    key.removeAll(keepingCapacity: true)
    GroupEnd.append(position, path, to: &key)
    let key = key
    guard let number = table.chunk(of: key.span) else {
      gap = (0, try firstPosition(of: 0))
      return nil
    }
    if number != self.number {
      chunk = try table.chunk(number)
      self.number = number
    }
    let next = try firstPosition(of: number + 1)
    do throws(FormatFailure) {
      return try look(at: position, path, number, next)
    } catch {
      throw Self.damaged(error)
    }
  }

  /// Looks ``key`` up in ``chunk``.
  ///
  /// - Parameters:
  ///   - number: The chunk's number.
  ///   - next: The position of the first row after the chunk.
  private func look(
    at position: UInt64, _ path: [UInt32], _ number: Int, _ next: UInt64
  ) throws(FormatFailure) -> GroupEnd? {
    // A span of a property of an object cannot be passed on.
    let (chunk, key) = (chunk, key)
    let rows = try ContextChunk(chunk.span)
    let (index, isFound) = try rows.place(of: key.span, in: table.range(of: number))
    let before = try GroupEnd.position(ofRow: isFound ? index + 1 : index, in: rows) ?? next
    guard isFound else {
      gap = (try GroupEnd.position(ofRow: index - 1, in: rows) ?? 0, before)
      return nil
    }
    gap = (position, before)
    let end = try GroupEnd(rows.row(index).value)
    found = (position, path, end)
    return end
  }

  /// Returns the position of the first row of a chunk; the highest possible one if there is no such chunk.
  private func firstPosition(of chunk: Int) throws(AnnalsError) -> UInt64 {
    guard chunk < table.firstKeys.count else { return .max }
    let key = table.firstKeys[chunk]
    do throws(FormatFailure) { return try GroupEnd.position(of: key.span) } catch {
      throw Self.damaged(error)
    }
  }

  private static func damaged(_ failure: FormatFailure) -> AnnalsError {
    AnnalsError(failure, place: "a chunk of a stage's group ends", table: "meta")
  }
}
