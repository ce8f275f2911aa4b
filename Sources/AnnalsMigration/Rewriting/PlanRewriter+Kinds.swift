internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension PlanRewriter {
  /// The kind of an entry, or of the first part that it has.
  func firstKind(of entry: borrowing LentEntry) throws(RewriteFailure) -> UInt32 {
    // An entry of no parts at all has no kind, and nothing writes one.
    guard let first = try kinds(of: entry).first else {
      throw RewriteFailure(
        AnnalsError(
          FormatFailure(.value, at: entry.header.body.lowerBound), place: "position \(entry.position)",
          position: entry.position))
    }
    return first
  }

  /// The kind of an entry, or those of its parts in their order.
  func kinds(of entry: borrowing LentEntry) throws(RewriteFailure) -> [UInt32] {
    guard entry.header.flags.contains(.parts) else { return [entry.header.kind] }
    var kinds: [UInt32] = []
    do throws(AnnalsError) { try entry.eachPart { (kind, _, _) in kinds.append(kind) } } catch {
      throw RewriteFailure(error)
    }
    return kinds
  }
}
