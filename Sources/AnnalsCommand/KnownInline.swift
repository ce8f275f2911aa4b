import Annals

/// The inline projections passed to a command, without their types.
protocol KnownInlineProjections: Sendable {
  /// Returns the work that each of them needs before it is in force in a store. It changes nothing.
  func needs(in store: StorePath) throws -> [(name: String, version: Int, need: InlineNeed)]
  /// Compares the rows of those in force with the log, and adds the differences to a report. It changes
  /// nothing.
  ///
  /// - Returns: The reason why they were not compared; `nil` if they were.
  func verify(_ store: StorePath, _ report: inout VerifyReport) throws -> String?
}

/// The inline projections of a plan's events passed to a command.
struct KnownInline<Plan: SchemaMigrationPlan>: KnownInlineProjections {
  let types: [any InlineProjection<Plan.Current.Event>.Type]

  func needs(in store: StorePath) throws -> [(name: String, version: Int, need: InlineNeed)] {
    types.isEmpty ? [] : try open(store).inlineNeeds()
  }

  func verify(_ store: StorePath, _ report: inout VerifyReport) throws -> String? {
    if types.isEmpty { return nil }
    let opened: EventStore<Plan>
    do throws(AnnalsError) { opened = try open(store) } catch  where error.code == .keyMissing {
      // A backup never has the keys, and the rest of it can be checked.
      return error.message
    }
    try opened.verifyInline(&report)
    return nil
  }

  private func open(_ store: StorePath) throws(AnnalsError) -> EventStore<Plan> {
    let options = StoreOptions(access: .readOnly, creation: .never)
    return try EventStore(at: store.url, plan: Plan.self, options: options, inline: types)
  }
}
