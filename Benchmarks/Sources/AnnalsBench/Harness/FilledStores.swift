#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stores that several scenarios share, each filled once a run and closed.
///
/// A store never changes: a scenario that modifies one works on a copy.
actor FilledStores {
  private let directory: URL
  private var filled: [String: URL] = [:]

  /// Stores in a directory that exists and is empty.
  init(in directory: URL) {
    self.directory = directory
  }

  /// The directory of a subject's store with this filling.
  ///
  /// - Parameter tail: The number of entries that a process appended afterwards before it was killed; 0 for a
  ///   closed store.
  func store<S: Subject>(
    of _: S.Type, _ filling: Filling, killedAfter tail: Int = 0
  ) async throws -> URL {
    let key = "\(S.name)-\(filling.streams)-\(filling.entries)-\(tail)"
    if let place = filled[key] { return place }
    let place = directory.appendingPathComponent(key)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try await Self.fill(S.self, filling, in: place)
    try S.waitUntilClosed(in: place)
    if tail > 0 { try KilledFilling.run(S.self, in: place, streams: filling.streams, entries: tail) }
    filled[key] = place
    return place
  }

  /// The directory of the store of the peer in Python with this filling.
  func store(of peer: PythonPeer, _ filling: Filling) throws -> URL {
    let key = "\(PythonPeer.name)-\(filling.streams)-\(filling.entries)"
    if let place = filled[key] { return place }
    try peer.check(in: directory)
    let place = directory.appendingPathComponent(key)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    let file = place.appendingPathComponent("events")
    try PythonPeer.write(RoundRobin(streams: filling.streams), filling.entries, to: file)
    _ = try peer.append(file, in: place, batch: Filling.batch)
    try FileManager.default.removeItem(at: file)
    filled[key] = place
    return place
  }

  /// The directory of a closed store of typed events.
  func store(of log: TypedLog) async throws -> URL {
    let key = "typed-\(log.streams)-\(log.entries)"
    if let place = filled[key] { return place }
    let place = directory.appendingPathComponent(key)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try await log.fill(in: place)
    filled[key] = place
    return place
  }

  /// In a function of its own, so that the subject is released when this returns.
  private static func fill<S: Subject>(_: S.Type, _ filling: Filling, in place: URL) async throws {
    try await filling.fill(S(creatingIn: place))
  }
}
