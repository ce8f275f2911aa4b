package import AnnalsCoding
package import AnnalsLog
internal import AnnalsReplication
package import Foundation

/// How far the store of a machine has applied its cluster's log, as its file says.
package struct MemberFacts: Equatable, Sendable {
  /// The id of the log, which all stores of a cluster share.
  package let cluster: UUID
  /// The sequence of the last message that is applied.
  package let applied: UInt64
  /// The number of accepted commits.
  package let commits: UInt64
  /// Their running hash.
  package let hash: String
  /// The position of the newest entry.
  package let position: UInt64
  /// What the machine's program must have for the machine to continue, in words; `nil` if it can.
  package let need: String?

  /// Reads the facts of a store; another program may have it open.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a store that is no member.
  package init(of log: EventLog) throws(AnnalsError) {
    let (state, position, need) = try log.read { (snapshot) throws(AnnalsError) in
      (
        try snapshot.reader.memberState(), try snapshot.reader.last(),
        try snapshot.reader.programNeed()
      )
    }
    guard let state else { throw AnnalsError(.wrongUse, "the store belongs to no cluster") }
    cluster = log.id
    applied = state.sequence
    commits = state.commits
    hash = state.chain.description
    self.position = position
    self.need = need.map { need in
      need.version.map { "a program whose plan has version \($0)" }
        ?? "a program with a newer version of the library"
    }
  }
}
