public import AnnalsCoding

/// The options of a machine's part in a cluster.
public struct ClusterOptions: Sendable {
  /// The longest time that a call waits for its verdict. The default is ten seconds.
  ///
  /// It includes the election of a new leader among the log's servers, which takes a few seconds.
  public var deadline = Duration.seconds(10)
  /// The time for which other machines count the programs of this machine as running after they last heard of
  /// them. The default is 30 seconds.
  ///
  /// A program that is killed delays an activation for this long. A program that ends by itself announces it.
  public var programLease = Duration.seconds(30)

  /// Creates the default options.
  public init() {}
}

/// The place of a machine in its cluster.
public struct ClusterStatus: Sendable {
  /// The sequence of the last message of the cluster's log that is applied here.
  public let applied: UInt64
  /// The sequence of the log's last message, as far as this machine knows.
  public let last: UInt64
  /// The position of the newest entry of the store; 0 for none.
  public let position: Position
  /// The number of accepted commits so far.
  public let commits: UInt64
  /// The running hash of the accepted commits, as 32 hexadecimal digits. Two machines with the same number of
  /// commits have the same hash, or one of them is wrong.
  public let hash: String
  /// The problem that keeps the machine from continuing; `nil` if there is none.
  public let problem: AnnalsError?
  /// Whether the machine has stopped because of the problem. Otherwise it tries again by itself.
  public let isStopped: Bool

  /// The schema version that the plan of a program must have for the machine to continue; `nil` unless it has
  /// stopped for that reason. If ``problem`` has the code `needsNewer`, it needs a newer version of the
  /// library instead; with `ruleFailed` or `malformed`, it needs a program that reads the event that the
  /// message names.
  public var needs: SchemaVersion? {
    guard isStopped, let problem, problem.needsOtherProgram else { return nil }
    return [.ruleFailed, .malformed].contains(problem.code) ? nil : problem.details.version
  }

  /// The number of messages that are not applied yet.
  public var lag: UInt64 { last - min(applied, last) }
}

extension AnnalsError {
  /// Whether the machine waits for a program with another plan, or a newer library. What it has is right, and
  /// can be read.
  var needsOtherProgram: Bool {
    switch code {
    case .newerSchema, .needsNewer, .superseded, .noPath, .shapeChanged: true
    // Inline projections are folded from events that only another program can read.
    case .ruleFailed, .malformed: true
    default: false
    }
  }
}
