// The suites of this module use directories and generators of this one, as where they come from.
@_exported public import AnnalsTestSupport
import Annals
import AnnalsCoding
import AnnalsReplication
import Foundation
import Synchronization
import Testing

/// The logs in memory of the clusters of this process: one for each directory of a store.
private enum SharedLogs {
  private static let logs = Mutex<[String: MemoryLog]>([:])

  static func log(of url: URL) -> MemoryLog {
    logs.withLock { logs in
      let path = url.standardizedFileURL.path
      let log = logs[path] ?? MemoryLog()
      logs[path] = log
      return log
    }
  }
}

/// The initializer of the library, which this module's own one hides.
private enum Opening {
  static func alone<Plan: SchemaMigrationPlan>(
    at url: URL, plan: Plan.Type, options: StoreOptions,
    inline: [any InlineProjection<Plan.Current.Event>.Type]
  ) throws(AnnalsError) -> EventStore<Plan> {
    let opened = Waiting {
      try await EventStore.open(at: url, plan: plan, options: options, inline: inline)
    }
    do {
      guard let store = try opened.value() else {
        throw AnnalsError(.inputOutput, "the store was not opened")
      }
      return store
    } catch {
      throw (error as? AnnalsError) ?? AnnalsError(.inputOutput, "the store was not opened: \(error)")
    }
  }
}

/// Waits for an asynchronous function on a thread of its own, for callers that are not asynchronous.
private final class Waiting<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () async throws -> Value) {
    Task.detached(priority: .high) { [self] in
      do {
        let value = try await body()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
  }

  func value() throws -> Value? {
    isDone.wait()
    return try result.withLock { $0 }?.get()
  }
}

extension EventStore {
  /// Opens the store as a member of a cluster, in place of the initializer of the library with the same
  /// parameters. So the suites of this module run over a cluster as they are.
  init(
    at url: URL, plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = []
  ) throws(AnnalsError) {
    // Programs next to a member read its store as any other.
    if options.access == .readOnly || LocalTests.hasCurrent {
      self = try Opening.alone(at: url, plan: plan, options: options, inline: inline)
      return
    }
    UntypedMember.end(at: url)
    let log = SharedLogs.log(of: url)
    let opening = Waiting {
      try await ClusterStore.open(at: url, plan: plan, log: log.connect(), options: options, inline: inline)
        .store
    }
    let store: EventStore?
    do { store = try opening.value() } catch {
      throw (error as? AnnalsError) ?? AnnalsError(.inputOutput, "the store was not opened: \(error)")
    }
    guard let store else { throw AnnalsError(.inputOutput, "the store was not opened") }
    self = store
  }
}

extension EventLog {
  /// Opens the log as a member of a cluster without a plan, in place of the initializer of the library with
  /// the same parameters.
  init(at url: URL, options: StoreOptions = StoreOptions()) throws(AnnalsError) {
    // A process of its own has no test, and no log in memory that it shares with others.
    if options.access == .readOnly || Test.current == nil || LocalTests.hasCurrent {
      try self.init(unsettled: url, options: options)
      return
    }
    let log = SharedLogs.log(of: url)
    let opening = Waiting { try await UntypedMember.open(at: url, log: log.connect(), options: options) }
    let opened: EventLog?
    do { opened = try opening.value() } catch {
      throw (error as? AnnalsError) ?? AnnalsError(.inputOutput, "the log was not opened: \(error)")
    }
    guard let opened else { throw AnnalsError(.inputOutput, "the log was not opened") }
    self = opened
  }
}
