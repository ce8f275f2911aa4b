public import Annals
internal import AnnalsCoding
public import AnnalsLog
public import AnnalsProjections
public import AnnalsReplication
public import AnnalsSchema
internal import AnnalsStore
public import Foundation

extension ClusterStore {
  /// Opens the store of this machine as a member of a cluster, or creates it.
  ///
  /// The first machine of all begins the cluster's log. A new store is empty and follows the log from its
  /// beginning; a backup of another machine continues where that machine was. An existing store opens even
  /// without a server: reads continue, and appends wait for a server until their deadline.
  ///
  /// - Parameters:
  ///   - url: The store's directory on this machine.
  ///   - plan: The schema versions and the stages between them.
  ///   - log: The log of the cluster.
  ///   - options: The options of the store. A new cluster takes its `idempotency` from them.
  ///   - cluster: The options of the membership.
  ///   - inline: The projections to fold in the transaction of each append. A new or raised one comes into
  ///     force with the next ``EventStore/activate(superseding:isRehearsal:)``.
  ///   - retiring: The versions of projections that the next activation replaces or removes. Until then they
  ///     are in force, so each machine needs them. A machine that begins from nothing needs them for the
  ///     messages before the activation; docs/scale-out.md has the details.
  ///   - warn: Called once, with a message, for each setting of the servers that should be changed: a version
  ///     that is too old, too few replicas. By default each message is a line of the standard error output.
  /// - Throws: As ``EventStore/init(at:plan:options:inline:)``; `unavailable` if there is no store yet and no
  ///   server answers; `permission` if the servers refuse this program; `wrongUse` for a stream that cannot
  ///   keep a log, a store with entries that is no member, and a plan that a cluster cannot have;
  ///   `superseded` if a projection that is in force is missing; `busy` if another program of this machine is
  ///   a member with this store.
  public init(
    at url: URL, plan: Plan.Type, log: ClusterLog, options: StoreOptions = StoreOptions(),
    cluster: ClusterOptions = ClusterOptions(), inline: [any InlineProjection<Plan.Current.Event>.Type] = [],
    retiring: [any InlineProjection<Plan.Current.Event>.Type] = [],
    warn: @escaping @Sendable (String) -> Void = ClusterWarning.print
  ) async throws(AnnalsError) {
    // A machine with a store has applied messages. A new log in the place of a lost one would be another.
    let isNew = !FileManager.default.fileExists(atPath: url.path)
    let shared = try log.connect(creates: isNew)
    self = try await ClusterStore.open(
      at: url, plan: plan, log: shared, options: options, cluster: cluster, inline: inline,
      retiring: retiring)
    let version = "\(Plan.Current.version)"
    let store = url.lastPathComponent
    try shared.answerQuestions { [weak member] in
      member?.status.map { MachineReport($0, store: store, version: version) }
    }
    Task { [weak shared] in
      guard let warnings = try? await shared?.warnings(within: .seconds(10)) else { return }
      for warning in warnings { warn(warning) }
    }
  }
}

/// What a program does with warnings about the servers of a cluster.
public enum ClusterWarning {
  /// Writes a warning as a line to the standard error output.
  ///
  /// - Parameter warning: The warning in words.
  public static func print(_ warning: String) {
    // A program without a standard error output has no use for it.
    try? FileHandle.standardError.write(contentsOf: Data("annals: \(warning)\n".utf8))
  }
}
