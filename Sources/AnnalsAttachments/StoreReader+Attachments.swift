package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog

extension StoreReader {
  /// The attachments that entries refer to, each with the first position.
  ///
  /// - Parameter start: The position from which on entries are read.
  /// - Complexity: O(entries); nothing if the store has never had an attachment.
  package func attachments(from start: UInt64 = 1) throws(AnnalsError) -> [ContentHash: Position] {
    guard try requires(.attachments) else { return [:] }
    var found: [ContentHash: Position] = [:]
    let last = try last()
    var next = max(start, 1)
    while next <= last {
      let position = Position(next)
      for hash in try attachments(at: position) where found[hash] == nil { found[hash] = position }
      next += 1
    }
    return found
  }

  /// The attachments that the entry at a position refers to.
  package func attachments(at position: Position) throws(AnnalsError) -> [ContentHash] {
    let bytes = try bytes(at: position)
    let header = try header(bytes, at: position)
    do throws(FormatFailure) { return try header.attachments(bytes) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }
}
