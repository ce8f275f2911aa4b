internal import AnnalsSchema
internal import AnnalsShapes

extension LockComparison {
  /// Returns the differences between two shapes, one for each field.
  static func differences(_ expected: RecordShape, _ found: RecordShape) -> [String] {
    ShapeComparison(from: expected, to: found).changes.filter { !$0.kind.isDoubt }.map { change in
      let place = change.field.isEmpty ? "the record" : "`\(change.field)`"
      switch change.kind {
      case .caseAdded(let name): return "\(place): expected no case `\(name)`, found one"
      case .caseRemoved(let name): return "\(place): expected the case `\(name)`, found none"
      case .reordered: return "\(place): expected the order of the lock, found another"
      case .renamed(let original): return "\(place): expected `\(original)`, found `\(change.field)`"
      case .subjectChanged(let expected, let found):
        return "\(place): expected personal: \(expected ?? "nil"), found personal: \(found ?? "nil")"
      default:
        return
          "\(place): expected \(change.stored ?? "no such field"), found \(change.wanted ?? "no such field")"
      }
    }
  }
}
