package import AnnalsCoding
package import AnnalsSchema
package import AnnalsShapes
import Synchronization

/// The older versions that read a plan's stored events: for each record of each of its versions, the oldest
/// one.
///
/// It is computed when a store asks, once for each kind that it has, and then kept.
package final class PlanReaders: Sendable {
  private struct Key: Hashable {
    let name: ExactText
    let version: SchemaVersion
    let shape: StoredShape
  }

  private let outline: ChainOutline
  private let known = Mutex<[Key: SchemaVersion?]>([:])

  package init(_ outline: ChainOutline) {
    self.outline = outline
  }

  /// Returns the oldest version whose programs read records stored in this way; `nil` if the plan has no such
  /// record, and for records that are stored by name.
  package func oldest(of name: ExactText, version: SchemaVersion?, shape: StoredShape?) -> SchemaVersion? {
    guard let version, let shape else { return nil }
    let key = Key(name: name, version: version, shape: shape)
    if let found = known.withLock({ $0[key] }) { return found }
    let found = work(out: key)
    known.withLock { $0[key] = .some(found) }
    return found
  }

  private func work(out key: Key) -> SchemaVersion? {
    guard let index = outline.schemas.firstIndex(where: { $0.version == key.version }),
      let number = outline.schemas[index].index(of: key.name),
      outline.schemas[index].records[number].shape == key.shape
    else { return nil }
    return outline.readers(of: number, in: index).oldest
  }
}
