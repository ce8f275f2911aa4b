/// The ordinals and kinds that a store knows: its rows of `schemas` and `kinds`.
struct KindRegistry: Sendable {
  /// A kind in the words of a reader.
  struct Kind: Sendable {
    let number: UInt32
    let version: SchemaVersion?
    let row: KindRow
  }

  private struct Key: Hashable {
    let version: SchemaVersion?
    let name: ExactText
  }

  /// The largest number of a kind; a larger one is damage.
  static let maximum: UInt32 = 1 << 20

  /// The kinds by number; kinds are numbered from 1.
  private(set) var kinds: [UInt32: Kind] = [:]
  /// The rows of `schemas` by ordinal.
  private(set) var schemas: [UInt16: SchemaRow] = [:]
  private var ordinals: [SchemaVersion?: UInt16] = [:]
  private var undeclared: [Key: UInt32] = [:]

  /// A registry that knows nothing.
  init() {}

  /// Takes a row of `schemas`.
  mutating func take(ordinal: UInt16, _ row: SchemaRow) {
    schemas[ordinal] = row
    ordinals[row.version] = ordinal
  }

  /// Takes a row of `kinds`, whose ordinal must be known already.
  ///
  /// - Returns: Whether the ordinal is known.
  mutating func take(kind: UInt32, _ row: KindRow) -> Bool {
    guard let schema = schemas[row.ordinal] else { return false }
    kinds[kind] = Kind(number: kind, version: schema.version, row: row)
    if row.shape == .undeclared {
      undeclared[Key(version: schema.version, name: ExactText(row.name))] = kind
    }
    return true
  }

  /// The number of the undeclared kind of `version` and `name`.
  func undeclaredKind(version: SchemaVersion?, name: String) -> UInt32? {
    undeclared[Key(version: version, name: ExactText(name))]
  }

  /// Gives the undeclared kind of `version` and `name` the next number, and its version the next ordinal where the
  /// store has none for it. Ordinal 0 is "unversioned".
  ///
  /// - Parameter first: Where the first entry of the kind will stand.
  mutating func register(version: SchemaVersion?, name: String, first: Position) throws(KindsExhausted)
    -> EntryRows.New
  {
    let ordinal: UInt16
    if let known = ordinals[version] {
      ordinal = known
    } else if version == nil {
      ordinal = 0
    } else {
      let newest = schemas.keys.max() ?? 0
      guard newest < .max else { throw KindsExhausted() }
      ordinal = newest + 1
    }
    let newest = kinds.keys.max() ?? 0
    guard newest < Self.maximum else { throw KindsExhausted() }
    let schema = schemas[ordinal] ?? SchemaRow(version: version)
    let row = KindRow(ordinal: ordinal, name: name, first: first)
    take(ordinal: ordinal, schema)
    _ = take(kind: newest + 1, row)
    return EntryRows.New(kind: newest + 1, kindRow: row, schemaRow: schema)
  }

  /// The store has used up its numbers for versions or kinds.
  struct KindsExhausted: Error {}
}
