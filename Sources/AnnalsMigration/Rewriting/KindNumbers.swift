internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// The numbers of kinds and versions in a generation that is being built.
///
/// What the older generation knows keeps its numbers. What is new with the plan gets numbers above all of
/// them, up front and in the order of the schema's records, so that they do not depend on which entries come
/// first.
struct KindNumbers: Sendable {
  /// A kind without its number.
  struct Key: Hashable {
    let version: SchemaVersion?
    let name: ExactText
    let shape: StoredShape?
  }

  private(set) var keys: [UInt32: Key] = [:]
  private var numbers: [Key: UInt32] = [:]
  private var ordinals: [SchemaVersion?: UInt16] = [nil: 0]
  private var newestNumber: UInt32 = 0
  private var newestOrdinal: UInt16 = 0

  /// The numbers that the rows of the new generation have already.
  init(_ target: KindRegistry) {
    for (ordinal, row) in target.schemas { take(ordinal, row.version) }
    for kind in target.kinds.values.sorted(by: { $0.number < $1.number }) {
      take(kind.number, Key(version: kind.version, name: ExactText(kind.row.name), shape: kind.shape))
    }
  }

  /// The number of a kind; `nil` if it has none yet.
  subscript(key: Key) -> UInt32? { numbers[key] }

  /// The ordinal of a version that has a kind.
  func ordinal(of version: SchemaVersion?) -> UInt16 { ordinals[version] ?? 0 }

  private mutating func take(_ number: UInt32, _ key: Key) {
    keys[number] = key
    numbers[key] = number
    newestNumber = max(newestNumber, number)
  }

  private mutating func take(_ ordinal: UInt16, _ version: SchemaVersion?) {
    ordinals[version] = ordinal
    newestOrdinal = max(newestOrdinal, ordinal)
  }

  /// Takes over what the older generation knows; a number that is taken by now becomes the next free one.
  mutating func adopt(_ source: KindRegistry) throws(KindRegistry.Refusal) {
    for (ordinal, row) in source.schemas.sorted(by: { $0.key < $1.key }) where ordinals[row.version] == nil {
      take(try isTaken(ordinal) ? nextOrdinal() : ordinal, row.version)
    }
    var waiting: [Key] = []
    // The newest number of two with one key is the one that the release of a draft has.
    for kind in source.kinds.values.sorted(by: { $0.number > $1.number }) {
      let key = Key(version: kind.version, name: ExactText(kind.row.name), shape: kind.shape)
      if numbers[key] != nil { continue }
      if keys[kind.number] == nil { take(kind.number, key) } else { waiting.append(key) }
    }
    for key in waiting.reversed() { try add(key) }
  }

  /// Gives a kind a number where it has none.
  @discardableResult
  mutating func add(_ key: Key) throws(KindRegistry.Refusal) -> UInt32 {
    if ordinals[key.version] == nil { take(try nextOrdinal(), key.version) }
    if let known = numbers[key] { return known }
    guard newestNumber < KindRow.maximum else { throw .exhausted }
    take(newestNumber + 1, key)
    return newestNumber
  }

  private func isTaken(_ ordinal: UInt16) -> Bool { ordinals.values.contains(ordinal) }

  private func nextOrdinal() throws(KindRegistry.Refusal) -> UInt16 {
    guard newestOrdinal < .max else { throw .exhausted }
    return newestOrdinal + 1
  }
}
