internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// What becomes of the entries of one kind in the next generation.
///
/// A reference, because it is looked up for every entry and holds many others.
final class KindFate: Sendable {
  /// The treatment of payloads.
  enum Payload: Sendable {
    /// They are copied, and belong to the kind of this number from then on.
    case carried(UInt32)
    /// They are upcast from here, and what comes out is encoded.
    case upcast(CompiledPlan.Entrance)
    /// They cannot be read.
    case unreadable(MissingStep)
  }

  /// The kind in the words of a reader of the older generation.
  let kind: KindRegistry.Kind
  /// The kind's number in the next generation.
  let number: UInt32
  /// The number that a stub of the kind gets.
  let stub: UInt32
  /// The treatment of payloads.
  let payload: Payload
  /// Where payloads enter the plan; `nil` where they do not, or there is no plan.
  let entrance: CompiledPlan.Entrance?
  /// Whether an entry of the kind can be quarantined: one of a draft cannot where its version is released, as
  /// it would read as the release's.
  let mayBeSetAside: Bool
  /// Whether payloads can have undeclared fields that a rewrite loses.
  let mayLoseFields: Bool
  /// Whether the plan keeps entries of the kind as they are stored.
  let isRetained: Bool
  /// The declared fields that the plan removes without a rule; `nil` if it removes none.
  let removals: FieldRemovals?

  init(
    kind: KindRegistry.Kind, number: UInt32, stub: UInt32, payload: Payload,
    entrance: CompiledPlan.Entrance?, mayBeSetAside: Bool, mayLoseFields: Bool = false,
    isRetained: Bool = false, removals: FieldRemovals? = nil
  ) {
    self.isRetained = isRetained
    self.removals = removals
    self.mayLoseFields = mayLoseFields
    self.kind = kind
    self.number = number
    self.stub = stub
    self.payload = payload
    self.entrance = entrance
    self.mayBeSetAside = mayBeSetAside
  }
}

/// What becomes of each kind of a generation in the next one, as far as the older one's registry was known.
///
/// A reference, because it is looked at for every entry, and a copy would count four arrays.
final class FateTable: Sendable {
  /// By number in the older generation.
  private let fates: [KindFate?]
  /// By number in the older generation, the number of the kind that unchanged payloads get; 0 where they are
  /// not.
  private let carried: [UInt32]
  /// By number in the older generation, whether the plan keeps entries as they are stored; empty where it
  /// keeps none.
  private let retained: [Bool]
  /// By case of the plan's current schema, the number of its kind in the next generation.
  let written: [UInt32]

  init(_ fates: [KindFate], written: [UInt32]) {
    let count = fates.map { Int($0.kind.number) + 1 }.max() ?? 0
    var byNumber = [KindFate?](repeating: nil, count: count)
    var carried = [UInt32](repeating: 0, count: count)
    for fate in fates {
      byNumber[Int(fate.kind.number)] = fate
      if case .carried(let number) = fate.payload { carried[Int(fate.kind.number)] = number }
    }
    self.fates = byNumber
    self.carried = carried
    retained = fates.contains(where: \.isRetained) ? byNumber.map { $0?.isRetained ?? false } : []
    self.written = written
  }

  /// The position of the first entry of a kind in the older generation; `nil` for a number that is no kind's.
  func first(of kind: UInt32) -> Position? {
    Int(kind) < fates.count ? fates[Int(kind)]?.kind.row.first : nil
  }

  /// The number of the kind that unchanged payloads of `kind` get; `nil` where they change.
  @inline(__always)
  func carried(_ kind: UInt32) -> UInt32? {
    guard Int(kind) < carried.count, carried[Int(kind)] > 0 else { return nil }
    return carried[Int(kind)]
  }

  /// Whether the plan keeps entries of `kind` as they are stored.
  func isRetained(_ kind: UInt32) -> Bool { Int(kind) < retained.count && retained[Int(kind)] }

  /// What becomes of a kind, whose absence is damage.
  func fate(of kind: UInt32, at position: Position) throws(AnnalsError) -> KindFate {
    if Int(kind) < fates.count, let fate = fates[Int(kind)] { return fate }
    throw AnnalsError(
      .damaged, "position \(position): the store knows no kind \(kind); run 'annals verify'",
      details: AnnalsError.Details { $0.position = position })
  }
}
