package import AnnalsCoding
package import AnnalsFormat
package import AnnalsShapes
package import LMDB

/// A feature above the log that takes part in appends, such as the roll-out of a schema version.
///
/// A call brings the rules of its store. The writer's thread asks each of them once for every call: first
/// whether the log may store the call, then to write the rows that change with it.
package protocol AppendRule: Sendable {
  /// Decides whether the log may store a call that it would accept. Changes nothing.
  ///
  /// The log asks before it compares the call's records with its own.
  ///
  /// - Parameter group: The calls before this one in the same transaction.
  /// - Returns: The phases of schema versions that begin with the call, if it is stored.
  /// - Throws: The reason for refusing the call.
  func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange]

  /// Writes the rows that change with a call, whose entries follow after the group's newest one.
  ///
  /// At most one rule of a call writes rows, because a refusal by another could not take them back.
  ///
  /// - Returns: The reason for refusing the call; no row of it is put then.
  /// - Throws: An error that ends the whole transaction.
  func apply(
    _ call: AppendRequest, to group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError?

  /// Writes the rows that change with neighbouring plain calls, whose entries follow after the group's newest
  /// one. Each call counts as if it were applied alone.
  ///
  /// - Returns: How many calls the rule accepts, and why it refuses the next one, of which no row is put;
  ///   `nil` if each call has to be decided alone. Then nothing is changed.
  /// - Throws: An error that ends the whole transaction.
  func apply(
    _ calls: PlainCalls, _ range: Range<Int>, to group: inout AppendGroup,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> PlainOutcome?

  /// Whether this is the rule, in the same version, that a row of the store demands.
  func satisfies(_ row: RuleRow) -> Bool

  /// Returns the oldest version whose programs read records that are stored in this way; `nil` if the rule
  /// does not know it.
  func oldestReader(of name: ExactText, version: SchemaVersion?, shape: StoredShape?) -> SchemaVersion?

  /// Completes the rows of a rule in force as the store is opened or activated, or puts the rule in force.
  ///
  /// - Parameters:
  ///   - isActivating: Whether a rule that is not in force yet comes into force.
  ///   - mayBegin: Called in the transaction in which it does. It throws if the rule must not.
  func begin(
    _ log: EventLog, isActivating: Bool, _ mayBegin: () throws(AnnalsError) -> Void
  ) throws(AnnalsError)

  /// Returns what an activation of the rule's store does to the rules that are in force.
  func activation(of rules: [RuleRow]) -> RuleSwitch

  /// Folds what a step of a cluster's log puts in force up to the end of the log, and puts nothing in force.
  ///
  /// - Returns: The reason for which the rule refuses an entry of the log, as it does on every machine; `nil`
  ///   if all is folded.
  /// - Throws: What keeps this machine from it, for example an entry that its plan cannot read.
  func build(_ rules: RuleSwitch, _ log: EventLog) throws(AnnalsError) -> AnnalsError?

  /// Puts the versions of a step in force that ``build(_:_:)`` has folded, and retires others.
  ///
  /// - Returns: Whether anything changed, or the reason for refusing the step. Nothing is put then.
  /// - Throws: An error that ends the whole transaction.
  func roll(
    _ rules: RuleSwitch, _ group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Bool, AnnalsError>

  /// Takes erased entries out of the rule's rows.
  ///
  /// - Parameter entries: The entries, which are stubs by now, in ascending order.
  /// - Returns: The indices of the group's rules whose rows are whole without the entries. The others are
  ///   made again from the log (``begin(_:isActivating:_:)``).
  /// - Throws: An error that ends the whole transaction.
  func erase(
    _ entries: [ErasedEntry], from group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Set<Int>

  /// Opens the tables that readers of the store need, before they take a snapshot.
  func prepare(_ generation: Generation) throws(AnnalsError)
}

extension AppendRule {
  package func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange] { [] }

  package func apply(
    _ call: AppendRequest, to group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? { nil }

  package func apply(
    _ calls: PlainCalls, _ range: Range<Int>, to group: inout AppendGroup,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> PlainOutcome? { nil }

  package func satisfies(_ row: RuleRow) -> Bool { false }

  package func oldestReader(of name: ExactText, version: SchemaVersion?, shape: StoredShape?)
    -> SchemaVersion?
  {
    nil
  }

  package func begin(
    _ log: EventLog, isActivating: Bool, _ mayBegin: () throws(AnnalsError) -> Void
  ) throws(AnnalsError) {}

  package func activation(of rules: [RuleRow]) -> RuleSwitch { RuleSwitch() }

  package func build(_ rules: RuleSwitch, _ log: EventLog) throws(AnnalsError) -> AnnalsError? { nil }

  package func roll(
    _ rules: RuleSwitch, _ group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Bool, AnnalsError> { .success(false) }

  package func erase(
    _ entries: [ErasedEntry], from group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Set<Int> { [] }

  package func prepare(_ generation: Generation) throws(AnnalsError) {}
}

/// An entry that an append rule takes out of its rows.
package struct ErasedEntry {
  package let position: Position
  /// The position of the first entry of its stream.
  package let stream: Position
  package let revision: Revision
  /// The kinds of the events that it had.
  package let kinds: Set<UInt32>
}

/// A phase of a schema version's roll-out that begins with a call.
package struct PhaseChange {
  let version: SchemaVersion
  let phase: SchemaRow.Phase
  /// The stability of the version, for a store that has no row of it yet.
  let stability: SchemaStability

  package init(version: SchemaVersion, phase: SchemaRow.Phase, stability: SchemaStability) {
    self.version = version
    self.phase = phase
    self.stability = stability
  }
}

extension AppendRequest {
  /// Returns the oldest version whose programs read records that are stored in this way, according to the
  /// call's rules; `nil` if none knows it.
  package func oldestReader(
    of name: ExactText, version: SchemaVersion?, shape: StoredShape?
  ) -> SchemaVersion? {
    for rule in rules {
      if let oldest = rule.oldestReader(of: name, version: version, shape: shape) { return oldest }
    }
    return nil
  }
}
