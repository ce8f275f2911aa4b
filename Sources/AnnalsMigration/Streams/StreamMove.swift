package import AnnalsCoding
package import AnnalsSchema
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// What a pass does with streams: the rule of the stage that it leads after.
package struct StreamMove: Sendable {
  private let routing: StreamRouting

  /// - Parameter adopted: The version that events without one are taken for.
  package init(_ routing: StreamRouting, adopted: SchemaVersion?) {
    var plan = routing.plan
    plan.adopted = adopted
    plan.passesStreams = true
    plan.newestStored = plan.current.version
    self.routing = StreamRouting(routing, plan: plan)
  }

  /// The stage's older version.
  var from: SchemaVersion { routing.plan.current.version }
  /// The stage's newer version.
  var to: SchemaVersion { routing.version }

  /// What a thread finds out with where entries go.
  ///
  /// - Parameters:
  ///   - source: The generation that they are read from.
  ///   - isSettingAside: Whether entries that cannot be upcast go where ones without events do; otherwise
  ///     they are errors.
  func router(of source: RewriteSource, isSettingAside: Bool) -> StreamRouter {
    StreamRouter(routing, of: source, isSettingAside: isSettingAside)
  }
}

/// Where an entry goes.
struct RoutedEntry: Sendable {
  /// The stream that it comes from.
  let old: StreamName
  /// The stream that it belongs to from then on.
  let new: StreamName
  /// Why it is dropped; `nil` if it is not.
  let reason: String?
}
