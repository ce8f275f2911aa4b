public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Payloads that were stored once and are read for ever: the samples of every released version, in files that belong into the repository.
///
/// ```swift
/// @Test func `what old versions stored reads as it always did`() throws {
///   try Fixtures(directory: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures"))
///     .check(WorkoutPlan.self)
/// }
/// ```
///
/// For each released version there is a file of the bytes that its samples were stored as, `1.0.0.stored.txt`, and one for each later version of what they are
/// in it, `1.0.0.as.2.0.0.txt`. Both are text, a value a line. A file is written when it is missing and something says to record, ``isRecording`` or `ANNALS_RECORD=1` in the environment, and
/// never again: what a later version of the code makes of the same bytes is compared with it. A draft is not recorded, for it may still change.
public struct Fixtures: Sendable {
  /// Where the files are.
  public let directory: URL
  /// Whether files that are missing are written.
  public let isRecording: Bool

  /// The fixtures in `directory`.
  ///
  /// - Parameters:
  ///   - directory: A directory for one plan, which is made where something is recorded.
  ///   - isRecording: Whether files that are missing are written; by default where `ANNALS_RECORD` is `1` in the environment.
  public init(directory: URL, isRecording: Bool? = nil) {
    self.directory = directory
    self.isRecording = isRecording ?? (ProcessInfo.processInfo.environment["ANNALS_RECORD"] == "1")
  }

  /// Throws unless everything that was recorded reads with `plan` as it was recorded, and nothing is missing.
  ///
  /// - Returns: The names of the files that were written.
  /// - Throws: ``FixtureFailure`` with everything that is wrong, ``AnnalsError`` with code `invalidPlan`, what a stage's `prepare` throws, and what the
  ///   file system throws.
  @discardableResult
  public func check<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws -> [String] {
    let links = try Link.all(of: plan)
    var problems: [FixtureFailure.Problem] = []
    // Written at the end and only where nothing is wrong, so that no half of a recording is left.
    var recorded: [(name: FixtureName, text: String)] = []
    let found = try names().compactMap(FixtureName.init)
    problems += Self.foreign(found, links)

    // The payloads are what the files say, never today's samples.
    var log = SampleLog([])
    var ranges: [SchemaVersion: Range<Int>] = [:]
    for link in links {
      let name = FixtureName(stored: link.version)
      let samples = link.samples
      if !found.contains(name) {
        if link.isDraft || samples.isEmpty { continue }
        guard isRecording else {
          problems.append(.missing(file: name.text))
          continue
        }
        recorded.append((name, StoredFixture.text(of: samples, version: link.version)))
      }
      do throws(FixtureFailure) {
        let start = log.samples.count
        let text: String
        if let new = recorded.last, new.name == name { text = new.text } else { text = try read(name) }
        log.add(
          try StoredFixture.samples(in: text, version: link.version, file: name.text),
          of: link.version)
        ranges[link.version] = start..<log.samples.count
      } catch {
        problems += error.problems
      }
    }

    // With a file that cannot be read the log is not the one that contexts were worked out from.
    guard problems.allSatisfy(\.isOnlyMissing) else { throw FixtureFailure(problems) }
    let contexts = try Plan.readableContexts(of: log.entries).contexts
    for link in links where !link.isDraft {
      let lift = try link.lift(contexts, over: log.entries)
      for (version, range) in ranges.sorted(by: { $0.key < $1.key }) where version <= link.version {
        let outcomes = range.map { number in
          (sample: log.samples[number], outcome: lift.outcome(log.samples[number].form, log.origins[number]))
        }
        let pathless = Self.pathless(outcomes, file: FixtureName(stored: version).text)
        if !pathless.isEmpty {
          // Every later version says the same.
          if version == link.version { problems += pathless }
          continue
        }
        let name = FixtureName(version, as: link.version)
        let text = ReadFixture.text(of: outcomes, from: version, to: link.version)
        if found.contains(name) {
          problems += ReadFixture.differences(expected: try read(name), found: text, file: name.text)
        } else if isRecording {
          recorded.append((name, text))
        } else if link.version == links.last?.version {
          // Only today's version is asked for: what was not recorded while another was current is not missed afterwards.
          problems.append(.missing(file: name.text))
        }
      }
    }
    guard problems.isEmpty else { throw FixtureFailure(problems) }
    for (name, text) in recorded { try write(text, name) }
    return recorded.map(\.name.text)
  }

  /// Records whose payloads do not enter the plan.
  private static func pathless(
    _ outcomes: [(sample: Sample, outcome: Outcome)], file: String
  ) -> [FixtureFailure.Problem] {
    outcomes.compactMap { sample, outcome in
      guard sample.number == 0, case .refused(let code, let message, let place) = outcome,
        code == .shapeChanged || code == .noPath
      else { return nil }
      return .noPath(file: file, record: sample.form.type, reason: place ?? message)
    }
  }

  /// Files of versions that the plan does not have.
  private static func foreign(_ found: [FixtureName], _ links: [Link]) -> [FixtureFailure.Problem] {
    let versions = Set(links.map(\.version))
    guard let current = links.last?.version else { return [] }
    return found.sorted { $0.text < $1.text }.compactMap { name in
      guard let version = name.versions.filter({ !versions.contains($0) }).max() else { return nil }
      return version > current
        ? .future(file: name.text, version: version, current: current)
        : .unknownVersion(file: name.text, version: version)
    }
  }

  private func names() throws -> [String] {
    guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: directory.path)
  }

  private func read(_ name: FixtureName) throws(FixtureFailure) -> String {
    let text: String?
    do {
      text = String(
        validating: try Data(contentsOf: directory.appendingPathComponent(name.text)), as: UTF8.self)
    } catch {
      throw FixtureFailure([.unreadable(file: name.text, reason: "\(error)")])
    }
    guard let text else { throw FixtureFailure([.unreadable(file: name.text, reason: "it is not UTF-8")]) }
    return text
  }

  private func write(_ text: String, _ name: FixtureName) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // The name is there once the whole file is. What is there already is never written over, also where two tests
    // record at once.
    let new = directory.appendingPathComponent(".\(name.text).\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: new) }
    try Data(text.utf8).write(to: new, options: .withoutOverwriting)
    try FileManager.default.linkItem(at: new, to: directory.appendingPathComponent(name.text))
  }
}
