internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

// Giving personal fields the newest keys of their persons.
extension PlanRewriter {
  /// Returns a payload that stays as it is, but for its personal fields under the newest keys; `nil` if none
  /// has an older one.
  func renewed(
    _ payload: Span<UInt8>, _ kind: UInt32, at position: Position
  ) throws(AnnalsError) -> [UInt8]? {
    guard let renewing else { return nil }
    let fate = try table.fate(of: kind, at: position)
    guard !fate.isRetained, let form = fate.kind.shape?.personal else { return nil }
    return try form.renewed(payload, of: ExactText(fate.kind.row.name), with: renewing)
  }

  /// As ``renewed(_:_:at:)``, for a part of an entry.
  func renewedPart(
    _ payload: Span<UInt8>, _ fate: KindFate, _ position: Position
  ) throws(RewriteFailure) -> [UInt8]? {
    do throws(AnnalsError) { return try renewed(payload, fate.kind.number, at: position) } catch {
      throw RewriteFailure(error)
    }
  }
}
