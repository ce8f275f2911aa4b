internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// The object shared by all stores of this process that are open at one path with one plan: the registry of
/// their views.
///
/// When this object is released, the threads end.
final class OpenViews<Event: SchemaEvent>: Sendable {
  let registry: ViewRegistry<Event>

  init(_ registry: ViewRegistry<Event>) {
    self.registry = registry
  }

  deinit {
    // The child process of a fork has none of the threads.
    if !registry.core.isInherited { registry.close() }
  }
}

/// Holds the views of a store, as long as the store is open.
package final class ViewHolder: Sendable {
  private let host = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Keeps a host until the store is released.
  func hold(_ host: some AnyObject & Sendable) {
    self.host.withLock { $0 = host }
  }
}

/// The open views of a log, shared by all stores of this process that are open there.
final class ViewHosts: Sendable {
  /// The properties that stores sharing a host have in common.
  struct Key: Hashable {
    let plan: ObjectIdentifier
    let access: StoreOptions.Access
    /// The pages that are checked when a file is opened.
    let trust: StoreOptions.Trust
    /// Whether newer types are skipped. The lease of the host shows that to other processes.
    let isSkipping: Bool
  }

  private struct Weak: Sendable {
    weak var host: (any AnyObject & Sendable)?
  }

  private let hosts = Mutex<[Key: Weak]>([:])

  /// Returns the existing host, or a new one.
  func host<Event: SchemaEvent>(_ key: Key, _ make: () -> OpenViews<Event>) -> OpenViews<Event> {
    hosts.withLock { hosts in
      if let host = hosts[key]?.host as? OpenViews<Event> { return host }
      let host = make()
      hosts = hosts.filter { $0.value.host != nil }
      hosts[key] = Weak(host: host)
      return host
    }
  }
}

extension EventStore {
  /// Returns the views of the store.
  func openViews() throws(AnnalsError) -> OpenViews<Event> {
    if log.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let key = ViewHosts.Key(
      plan: ObjectIdentifier(Plan.self), access: log.options.access, trust: log.options.trust,
      isSkipping: reach.skipping != nil)
    let (core, reach, options) = (log.core, reach, log.options)
    let budget = try ViewBudget(options)
    let views = core.attachments.value(ViewHosts.self) { ViewHosts() }.host(key) {
      OpenViews(
        ViewRegistry<Event>(core, reach.passingOverNothing(), options, budget))
    }
    attachments.value(ViewHolder.self) { ViewHolder() }.hold(views)
    return views
  }
}
