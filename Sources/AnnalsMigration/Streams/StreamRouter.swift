internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Finds out where the entries of a generation go, for one thread, through the same gate as reads.
final class StreamRouter {
  private let routing: StreamRouting
  private let source: RewriteSource
  private let reach: PlanResolver
  private let buffer: EventBuffer
  private var origins: EntryOrigin
  private var kinds = KindRegistry()
  private var upcaster: Upcaster

  init(_ routing: StreamRouting, of source: RewriteSource, isSettingAside: Bool) {
    self.routing = routing
    self.source = source
    reach = PlanResolver(routing.plan, isSettingAside ? Quarantine { _ in } : nil)
    buffer = routing.makeBuffer()
    origins = EntryOrigin(log: source.log)
    upcaster = Upcaster(reach: reach, kinds: kinds, of: source)
  }

  /// Takes the kinds of the snapshot that the next entries are read from.
  func enter(_ kinds: KindRegistry) {
    guard kinds.kinds.count != self.kinds.kinds.count || kinds.epoch != self.kinds.epoch else { return }
    self.kinds = kinds
    upcaster = Upcaster(reach: reach, kinds: kinds, of: source)
  }

  /// Where `entry` goes.
  ///
  /// - Throws: ``AnnalsError``: what a read of the entry throws; `ruleFailed` for what the rule throws,
  ///   `invalidName` for a name that it may not give.
  func route(_ entry: borrowing LentEntry, _ reader: StoreReader) throws(AnnalsError) -> RoutedEntry {
    let origin = try origins.origin(of: entry, reader)
    if entry.header.isSystem { return RoutedEntry(old: origin.stream, new: origin.stream, reason: nil) }
    if source.nameless.contains(entry.stream.rawValue) {
      // No name is noted as moved: the erased one must be in no row.
      let name = SystemEntry.placeholder(of: entry.stream)
      return RoutedEntry(old: name, new: name, reason: nil)
    }
    // The program that appended it knew the newer version, and its stream.
    if try isNewer(entry) { return RoutedEntry(old: origin.stream, new: origin.stream, reason: nil) }
    try upcaster.upcast(entry, of: origin.stream, into: buffer)
    let route: StreamRoute
    do { route = try routing.route(buffer, origin) } catch {
      throw failure(.ruleFailed, "threw \(error.words)", origin, error)
    }
    switch route {
    case .stays: return RoutedEntry(old: origin.stream, new: origin.stream, reason: nil)
    case .dropped(let reason): return RoutedEntry(old: origin.stream, new: origin.stream, reason: reason)
    case .moves(let name):
      if let fault = NameRule.fault(of: name.text) {
        throw failure(
          .invalidName, "gave a stream's name that cannot be stored, for \(fault)", origin, nil)
      }
      return RoutedEntry(old: origin.stream, new: name, reason: nil)
    }
  }

  /// Whether an entry is of a version above the stage's older one, in any of its parts.
  private func isNewer(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    let limit = routing.plan.current.version
    func isNewer(_ kind: UInt32) -> Bool { kinds.kinds[kind]?.version.map { $0 > limit } ?? false }
    if !entry.header.flags.contains(.parts) { return isNewer(entry.header.kind) }
    var found = false
    try entry.eachPart { (kind, _, _) in if isNewer(kind) { found = true } }
    return found
  }

  private func failure(
    _ code: AnnalsError.Code, _ fault: String, _ origin: Origin, _ cause: (any Error)?
  ) -> AnnalsError {
    AnnalsError(
      code,
      "position \(origin.position), stream '\(origin.stream)', revision \(origin.revision): the Streams of stage \(routing.plan.current.version) to \(routing.version) \(fault)",
      details: AnnalsError.Details {
        $0.position = origin.position
        $0.stream = origin.stream
        $0.revision = origin.revision
        $0.version = routing.version
      }, underlying: cause)
  }
}
