internal import AnnalsCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension ClusterMember {
  /// What a machine does, and what it waits for.
  struct State {
    var applier: Applier?
    var calls: [UUID: PendingCall] = [:]
    /// Those that wait for a position.
    var waiters: [UUID: (position: UInt64, call: PendingCall)] = [:]
    /// Why the machine cannot continue.
    var stop: AnnalsError?
    /// What keeps the machine from continuing for now.
    var trouble: AnnalsError?
    /// The sequence of the last message in the log, as far as it is known.
    var last: UInt64 = 0
    var tasks: [Task<Void, Never>] = []
    var exchange: ProgramExchange?
    var publisher: CallPublisher?
    var isClosed = false
    /// Whether messages are being applied.
    var isApplying = false
  }
}
