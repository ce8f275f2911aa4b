import Annals

/// The inline projections passed to a command, without their types.
protocol KnownInlineProjections: Sendable {
  /// Returns the work that each of them needs before it is in force in a store. It changes nothing.
  func needs(in store: StorePath) throws -> [(name: String, version: Int, need: InlineNeed)]
  /// Compares the rows of those in force with the log, and adds the differences to a report. It changes
  /// nothing.
  func verify(_ store: StorePath, _ report: inout VerifyReport) throws
}

/// The inline projections of a plan's events passed to a command.
struct KnownInline<Plan: SchemaMigrationPlan>: KnownInlineProjections {
  let types: [any InlineProjection<Plan.Current.Event>.Type]

  func needs(in store: StorePath) throws -> [(name: String, version: Int, need: InlineNeed)] {
    types.isEmpty ? [] : try open(store).inlineNeeds()
  }

  func verify(_ store: StorePath, _ report: inout VerifyReport) throws {
    if !types.isEmpty { try open(store).verifyInline(&report) }
  }

  private func open(_ store: StorePath) throws(AnnalsError) -> EventStore<Plan> {
    let options = StoreOptions(access: .readOnly, creation: .never)
    return try EventStore(at: store.url, plan: Plan.self, options: options, inline: types)
  }
}
