public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Recorded payloads of every released version, in files that belong in the repository.
///
/// ```swift
/// @Test func `what old versions stored reads as it always did`() throws {
///   let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
///   try Fixtures(directory: directory).check(WorkoutPlan.self)
/// }
/// ```
///
/// Each released version has a file with the bytes of its samples, `1.0.0.stored.txt`. For each later version
/// there is a file with the events that the samples become in it, `1.0.0.as.2.0.0.txt`. A schema with
/// `sampleLogs` also has the files `1.0.0.logs.txt` and `1.0.0.logs.as.2.0.0.txt`. All of them are text, with
/// one value on each line.
///
/// A missing file is written if ``isRecording`` is set, and no file is ever overwritten. Later versions of
/// the code read the same bytes, and the results are compared with the file. Drafts are not recorded, because
/// they may still change.
public struct Fixtures: Sendable {
  /// The directory of the files.
  public let directory: URL
  /// Whether missing files are written.
  public let isRecording: Bool

  /// Creates the fixtures in `directory`.
  ///
  /// - Parameters:
  ///   - directory: A directory for one plan. It is created when something is recorded.
  ///   - isRecording: Whether missing files are written. The default is `true` if `ANNALS_RECORD` is `1` in
  ///     the environment.
  public init(directory: URL, isRecording: Bool? = nil) {
    self.directory = directory
    self.isRecording = isRecording ?? (ProcessInfo.processInfo.environment["ANNALS_RECORD"] == "1")
  }

  /// Checks that `plan` reads every recorded payload as it was recorded, and that nothing is missing.
  ///
  /// - Returns: The names of the files that were written.
  /// - Throws: ``FixtureFailure`` with all problems, ``AnnalsError`` with code `invalidPlan`, the errors of a
  ///   stage's `prepare`, and those of the file system.
  @discardableResult
  public func check<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws -> [String] {
    let links = try Link.all(of: plan)
    let files = FixtureFiles(directory)
    var recording = FixtureRecording(files, try files.names(), isRecording: isRecording)
    recording.problems += Self.foreign(recording.found, links)
    let logs = try recording.logs(of: links)
    // If a file cannot be read, the log differs from the one that the contexts were computed from.
    guard recording.problems.allSatisfy(\.isOnlyMissing) else { throw FixtureFailure(recording.problems) }
    let contexts = try logs.map { try Plan.readableContexts(of: $0.log.entries).contexts }
    for link in links where !link.isDraft {
      var readings: [FixtureName: [FixtureReading]] = [:]
      for (log, contexts) in zip(logs, contexts)
      where log.parts.contains(where: { $0.version <= link.version }) {
        let upcaster = try link.upcaster(contexts, over: log.log.entries)
        for part in log.parts where part.version <= link.version {
          let name = FixtureName(part.content, part.version, as: link.version)
          readings[name, default: []].append(FixtureReading(part, of: log.log, upcaster))
        }
      }
      for (name, readings) in readings.sorted(by: { $0.key < $1.key }) {
        // Only the current version must have a file. Files of versions that were current only for a time are
        // not missed.
        try recording.compare(readings, name, isNewest: link.version == links.last?.version)
      }
    }
    guard recording.problems.isEmpty else { throw FixtureFailure(recording.problems) }
    return try recording.write()
  }

  /// Returns the files of versions that the plan does not have.
  private static func foreign(_ found: Set<FixtureName>, _ links: [Link]) -> [FixtureFailure.Problem] {
    let versions = Set(links.map(\.version))
    guard let current = links.last?.version else { return [] }
    return found.sorted { $0.text < $1.text }.compactMap { name in
      guard let version = name.versions.filter({ !versions.contains($0) }).max() else { return nil }
      return version > current
        ? .future(file: name.text, version: version, current: current)
        : .unknownVersion(file: name.text, version: version)
    }
  }
}
