internal import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A message of a cluster's log. docs/format-cluster.md draws its bytes.
package struct ClusterMessage: Sendable {
  /// The newest format of messages that this library reads and writes.
  package static let format: UInt8 = 2

  /// The kinds of messages.
  enum Kind: UInt8 {
    case genesis, append, change, audit, roll, calls, activation, retention

    /// The format of messages of this kind. A library that does not know a kind of format 2 stops at the
    /// message.
    var format: UInt8 {
      switch self {
      case .genesis, .append, .change, .audit: 1
      case .roll, .calls, .activation, .retention: 2
      }
    }
  }

  /// What a message says.
  package enum Body: Sendable {
    /// The cluster begins. Only the first message of a log counts.
    case genesis(Genesis)
    /// A call to append.
    case append(AppendRequest, CommitID)
    /// A change of the log itself.
    case change(LogChange, CommitID)
    /// What a machine has applied.
    case audit(Audit)
    /// Calls to append that waited at the same time. Each is decided alone, in this order.
    case calls([SharedCall])
  }

  /// The id of the log that the message is for.
  package var log: UUID
  /// What it says.
  package var body: Body

  package init(log: UUID, _ body: Body) {
    self.log = log
    self.body = body
  }
}

/// The identity of a commit, by which its copies in the log are recognised.
package struct CommitID: Hashable, Sendable {
  /// The id, which a writer draws for each call.
  package var id: UUID
  /// The sequence up to which the writer had applied the log before it published the call for the first time.
  package var base: UInt64

  package init(id: UUID, base: UInt64) {
    self.id = id
    self.base = base
  }
}

/// The beginning of a cluster: what its stores must have in common.
package struct Genesis: Equatable, Sendable {
  /// How the stores recognise event ids: the length of the window, or 0 for an index of all ids.
  package var window: UInt64
  /// The inline projections that are in force from the first event on, in the order of their names.
  package var rules: [RuleVersion]

  package init(window: UInt64, rules: [RuleVersion]) {
    self.window = window
    self.rules = rules
  }
}

/// The running hash of a machine after some number of accepted commits.
package struct Audit: Equatable, Sendable {
  /// The machine that publishes it.
  package var machine: UUID
  /// The number of accepted commits.
  package var commits: UInt64
  /// The position of the newest entry by then; 0 for none.
  package var position: UInt64
  /// The hash.
  package var hash: CommitChain

  package init(machine: UUID, commits: UInt64, position: UInt64, hash: CommitChain) {
    self.machine = machine
    self.commits = commits
    self.position = position
    self.hash = hash
  }
}
