internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema

/// What a pass may lose of stored events, and whether it keeps that elsewhere.
struct LossRules: Sendable {
  /// The undeclared fields that may be lost.
  var drops = FieldDrops.none
  /// Whether lines for an archive are written.
  var isArchiving = false
}
