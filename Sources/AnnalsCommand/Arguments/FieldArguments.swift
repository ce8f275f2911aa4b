import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The option of verbs that can lose undeclared fields.
struct FieldArguments {
  static let value = "--drop-fields"
  static let help = """
      --drop-fields TYPE.KEY,…
                      loses these fields, which the plan does not declare; 'check --store STORE --scan' lists
                      them
    """

  /// The names of the fields in ASCII; empty without the option.
  let names: Set<String>

  init(_ arguments: Arguments) throws(UsageError) {
    guard let list = try arguments.value(Self.value) else {
      names = []
      return
    }
    let names = UndeclaredField.names(in: list)
    if names.contains("") { throw UsageError("\(Self.value) has an empty name") }
    self.names = Set(names.map(UndeclaredField.ascii))
  }

  /// Compares the names with the undeclared fields of the store at `store`, before any change.
  ///
  /// - Parameter isComplete: Whether every undeclared field of the store must be named.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a name that is no undeclared field of the store,
  ///   though it has others or could have some; `undeclaredFields` for a field that is not named; and the
  ///   errors of a check of the store.
  func compare<Plan: SchemaMigrationPlan>(
    with store: URL, _ plan: Plan.Type, isComplete: Bool
  ) throws(AnnalsError) {
    guard isComplete || !names.isEmpty else { return }
    let check = try plan.check(store: store, scanning: true)
    // After a rewrite there are none, so that the command can be repeated.
    guard let fields = check.undeclared, check.kinds.contains(where: \.isByName) else { return }
    let known = fields.map { ExactText($0.name) }
    let named = Set(names.map(UndeclaredField.exact))
    if let wrong = named.subtracting(known).min()?.text {
      let list = known.map { "'\($0.text)'" }.joined(separator: ", ")
      throw AnnalsError(
        .wrongUse,
        "'\(wrong)' is no undeclared field that the store would lose; \(known.isEmpty ? "it has none" : "it has \(list)"); fields of records that the plan drops or retains need no name; nothing was changed"
      )
    }
    let unnamed = fields.filter { !named.contains(ExactText($0.name)) }
    guard !isComplete || unnamed.isEmpty else { throw AnnalsError(undeclared: unnamed, "a migration pass") }
  }
}
