public import AnnalsCoding
internal import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

/// A typed event store that several machines share: each has all of it, each reads its own copy, and all
/// write through one log.
///
/// ``store`` is an ``EventStore`` with all of its interface. An append returns when the call has its place in
/// the shared order and is applied on this machine, so this machine reads what it has written. Other machines
/// follow within milliseconds; ``waitUntil(_:within:)`` waits for a position.
///
/// Without a quorum of the log's servers, reads continue, and appends fail with `unavailable` at their
/// deadline. docs/scale-out.md lists the promises.
public struct ClusterStore<Plan: SchemaMigrationPlan>: Sendable {
  private let opened: EventStore<Plan>
  private let membership: Membership

  init(_ opened: EventStore<Plan>, _ membership: Membership) {
    self.opened = opened
    self.membership = membership
    // The store may outlive this value.
    opened.attachments.attach(membership)
  }

  /// The store of this machine, whose appends go through the cluster's log.
  ///
  /// A machine that needs a newer program (``ClusterStatus/needs``) applies nothing more, and its appends
  /// fail with the reason: `newerSchema`, `superseded` or `needsNewer`. It can still read what it has.
  ///
  /// - Throws: ``AnnalsError`` with the reason why the machine has stopped serving: `diverged` if its store
  ///   differs from those of other machines, `storeTooOld` if messages that it has not applied are erased,
  ///   `foreign` for another cluster's log.
  public var store: EventStore<Plan> {
    get throws(AnnalsError) {
      try membership.member.mustServe()
      return opened
    }
  }

  /// The machine's part in the cluster, for the transport.
  package var member: ClusterMember { membership.member }

  /// The place of the machine in its cluster.
  public var status: ClusterStatus? { membership.member.status }

  /// Waits until this machine has the entry at `position`, which another machine may have written.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - limit: The longest time to wait. The default is ten seconds.
  /// - Throws: ``AnnalsError`` with code `unavailable` if it is not there in time, `cancelled`, or as
  ///   ``store``.
  public func waitUntil(
    _ position: Position, within limit: Duration = .seconds(10)
  ) async throws(AnnalsError) {
    try await membership.member.wait(for: position.rawValue, within: limit)
  }

  /// Leaves the cluster: no longer follows its log, and refuses further appends.
  ///
  /// Calls that wait for their verdict fail with `unavailable`. A machine leaves automatically when this
  /// value and the last copy of ``store`` are released.
  public func leave() { membership.member.close() }

  /// Removes the messages of erased events from the cluster's log, with all of their copies.
  ///
  /// A message contains a whole call, so other events of the call leave the log with it, but remain in the
  /// stores. A machine that has not applied a removed message yet stops there, and continues from a backup of
  /// another machine. The same holds for every new machine, so erase messages when all machines have applied
  /// the erasures.
  ///
  /// - Returns: The number of messages that were removed, also by earlier calls.
  /// - Throws: As ``store``; `unavailable` if the log does not answer. The call can be repeated.
  /// - Complexity: O(commits of the cluster).
  @discardableResult
  public func eraseMessages() async throws(AnnalsError) -> Int {
    let sequences = try store.log.messagesOfErasedEntries()
    for sequence in sequences { try await membership.member.log.erase(sequence) }
    return sequences.count
  }
}

/// The membership of a store, which ends with it.
final class Membership: Sendable {
  let member: ClusterMember

  init(_ member: ClusterMember) {
    self.member = member
  }

  deinit { member.close() }
}
