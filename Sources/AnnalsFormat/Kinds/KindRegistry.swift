package import AnnalsCoding
package import AnnalsShapes

/// The ordinals and kinds that a store knows: its rows of `schemas` and `kinds`.
@usableFromInline package struct KindRegistry: Sendable {
  /// A kind, as readers use it: a class, because readers look one up for each entry.
  @usableFromInline package final class Kind: Sendable {
    package let number: UInt32
    package let version: SchemaVersion?
    package let row: KindRow
    /// The shape of the payloads; `nil` if they are stored by name.
    package let shape: StoredShape?

    init(number: UInt32, version: SchemaVersion?, row: KindRow, shape: StoredShape?) {
      self.number = number
      self.version = version
      self.row = row
      self.shape = shape
    }
  }

  private struct Key: Hashable {
    let version: SchemaVersion?
    let name: ExactText
    /// Empty for payloads by name.
    let fingerprint: [UInt8]
  }

  /// The kinds by number; kinds are numbered from 1.
  @usableFromInline package private(set) var kinds: [UInt32: Kind] = [:]
  /// The kinds with the first numbers again, each at the index of its number: readers look one up for each
  /// entry.
  @usableFromInline private(set) var first: [Kind?] = []
  /// The most kinds in that list.
  private static let mostFirst = 1024
  /// The rows of `schemas` by ordinal.
  package private(set) var schemas: [UInt16: SchemaRow] = [:]
  private var ordinals: [SchemaVersion?: UInt16] = [:]
  private var numbers: [Key: UInt32] = [:]
  /// The newest version that was activated at a position of its own. Older versions are no longer appended.
  package private(set) var activated: SchemaVersion?
  /// The newest contracted version. Nothing is left below it, so programs of older versions no longer read
  /// the store.
  package private(set) var contracted: SchemaVersion?
  /// The version that events without one were adopted as, permanently; `nil` before an adoption.
  package var adopted: SchemaVersion?
  /// The generation whose numbers these are; another one may have others.
  package var generation: UInt64 = 1
  /// The number of activations of schema versions when the rows were read.
  package var epoch: UInt64 = 0
  /// Whether a stream of the store has ever been closed or truncated, so that streams may have limits.
  package var limitsStreams = false
  /// Whether programs that write must note the times of commits.
  package var notesTimes = false
  /// Whether records of the journal may have a hash.
  package var hashesJournal = false
  /// Whether entries may refer to attachments.
  package var hasAttachments = false
  /// Whether entries may have tags.
  package var hasTags = false
  /// Whether entries may have encrypted fields.
  package var hasPersonalFields = false
  /// Whether it has changes of a transaction that may still be aborted. Nothing that is made from it may be
  /// kept longer than the transaction.
  package var isUncommitted = false

  /// The declared kinds whose rows do not yet say which older versions read them.
  package private(set) var unnoted: Set<UInt32> = []

  /// Creates an empty registry.
  package init() {}

  /// The kind of a number; `nil` if there is none.
  @inlinable package subscript(number: UInt32) -> Kind? {
    Int(number) < first.count ? first[Int(number)] : kinds[number]
  }

  /// Adds a row of `schemas`.
  package mutating func take(ordinal: UInt16, _ row: SchemaRow) {
    schemas[ordinal] = row
    if let version = row.version {
      if row.phase == .contracted { contracted = max(contracted ?? version, version) }
      if row.phase == .active || row.phase == .contracted { activated = max(activated ?? version, version) }
    }
    ordinals[row.version] = ordinal
  }

  /// Adds a row of `kinds`, whose ordinal must be known already.
  ///
  /// - Throws: ``FormatFailure`` if it is not, or if the shape is invalid or does not match its fingerprint.
  package mutating func take(kind: UInt32, _ row: KindRow) throws(FormatFailure) {
    guard let schema = schemas[row.ordinal] else { throw FormatFailure(.value, at: 0) }
    try take(kind: kind, row, version: schema.version, shape: StoredShape(row.shape))
  }

  private mutating func take(kind: UInt32, _ row: KindRow, version: SchemaVersion?, shape: StoredShape?) {
    let added = Kind(number: kind, version: version, row: row, shape: shape)
    kinds[kind] = added
    if kind < Self.mostFirst {
      while first.count <= Int(kind) { first.append(nil) }
      first[Int(kind)] = added
    }
    if shape != nil, version != nil, row.oldestReader == nil {
      unnoted.insert(kind)
    } else {
      unnoted.remove(kind)
    }
    numbers[Key(version: version, name: ExactText(row.name), fingerprint: shape?.fingerprint ?? [])] = kind
  }

  /// The number of the kind of `version` and `name` whose payloads have this shape; `nil` if the store has
  /// none.
  package func kind(version: SchemaVersion?, name: ExactText, shape: StoredShape?) -> UInt32? {
    numbers[Key(version: version, name: name, fingerprint: shape?.fingerprint ?? [])]
  }

  /// Returns the number under which `record` is stored; `nil` if it must be registered first.
  ///
  /// A released record never reuses the kind of a draft, so its version is known to be released from then on.
  package func kind(of record: RecordKind) -> UInt32? {
    guard let number = kind(version: record.version, name: record.type, shape: record.shape) else {
      return nil
    }
    if record.stability != .draft, let kind = kinds[number], kind.shape != nil,
      schemas[kind.row.ordinal]?.isDraft(kind.row) == true
    {
      return nil
    }
    return number
  }

  /// The ordinal of `version`: the one that the store has for it, or the next one.
  package func ordinal(of version: SchemaVersion?) throws(Refusal) -> UInt16 {
    if let known = ordinals[version] { return known }
    if version == nil { return 0 }
    let newest = schemas.keys.max() ?? 0
    guard newest < .max else { throw .exhausted }
    return newest + 1
  }

  /// The row of `version`; `nil` if the store has none.
  package func row(of version: SchemaVersion) -> SchemaRow? { ordinals[version].flatMap { schemas[$0] } }

  /// Gives the kind of `record` the next number, and its version the next ordinal where the store has none
  /// for it. Ordinal 0 is "unversioned".
  ///
  /// - Parameters:
  ///   - first: The position of the first entry of the kind.
  ///   - oldestReader: The oldest version whose programs read it; `nil` if no plan says.
  package mutating func register(
    _ record: RecordKind, first: Position, oldestReader: SchemaVersion? = nil
  ) throws(Refusal) -> EntryRows.New {
    let version = record.version
    let ordinal = try ordinal(of: version)
    let newest = kinds.keys.max() ?? 0
    guard newest < KindRow.maximum else { throw .exhausted }
    var schema =
      schemas[ordinal]
      ?? SchemaRow(version: version, stability: SchemaRow.Stability(record.stability))
    if let known = schemas[ordinal], known.stability != .draft, record.stability == .draft { throw .released }
    if schema.stability == .draft, record.stability != .draft {
      // From here on its shapes are fixed. Entries that drafts stored stay unchanged.
      schema.stability = SchemaRow.Stability(record.stability)
      schema.release = first.rawValue
    }
    if schema.stability != .draft, let shape = record.shape,
      let other = kinds.values.first(where: {
        $0.row.ordinal == ordinal && ExactText($0.row.name) == record.type && $0.shape != nil
          && $0.shape != shape && !schema.isDraft($0.row)
      })
    {
      throw .shapeChanged(stored: other)
    }
    let row = KindRow(
      ordinal: ordinal, name: record.type.text, shape: record.shape.map(\.row) ?? .undeclared, first: first,
      oldestReader: oldestReader)
    take(ordinal: ordinal, schema)
    take(kind: newest + 1, row, version: version, shape: record.shape)
    return EntryRows.New(kind: newest + 1, kindRow: row, schemaRow: schema)
  }

  /// Notes how far the roll-out of a version is.
  ///
  /// - Returns: The version's ordinal and row.
  package mutating func note(
    _ phase: SchemaRow.Phase, of version: SchemaVersion, stability: SchemaStability
  ) throws(AnnalsError) -> (ordinal: UInt16, row: SchemaRow) {
    let ordinal: UInt16
    do throws(Refusal) { ordinal = try self.ordinal(of: version) } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions")
    }
    var row =
      schemas[ordinal] ?? SchemaRow(version: version, stability: SchemaRow.Stability(stability))
    row.phase = phase
    take(ordinal: ordinal, row)
    return (ordinal, row)
  }

  /// Notes which older versions read the kinds whose rows do not say so yet.
  ///
  /// - Parameter oldestReader: Returns the oldest version whose programs read a record, if that is known.
  /// - Returns: The kinds whose rows say it now. Older versions read nothing that a draft has stored.
  package mutating func noteReaders(
    _ oldestReader: (ExactText, SchemaVersion, StoredShape?) -> SchemaVersion?
  ) -> [UInt32] {
    var noted: [UInt32] = []
    for number in unnoted {
      guard let kind = kinds[number], let version = kind.version else { continue }
      let isDraft = schemas[kind.row.ordinal]?.isDraft(kind.row) == true
      let known = oldestReader(ExactText(kind.row.name), version, kind.shape)
      guard let oldest = isDraft ? version : known else { continue }
      var row = kind.row
      row.oldestReader = oldest
      take(kind: number, row, version: version, shape: kind.shape)
      noted.append(number)
    }
    return noted
  }

  /// Why a kind gets no number.
  package enum Refusal: Error {
    /// The store has used up its numbers for versions or kinds.
    case exhausted
    /// The version was released, and a draft of it adds no shapes.
    case released
    /// The version was released with another shape of the record.
    case shapeChanged(stored: Kind)
  }
}
