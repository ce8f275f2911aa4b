import Annals

/// A log of recorded payloads, read as a whole.
struct FixtureLog {
  /// The payloads of one version in the log.
  struct Part {
    let content: FixtureName.Content
    let version: SchemaVersion
    /// The places of the payloads in the log.
    let range: Range<Int>
  }

  var log: SampleLog
  var parts: [Part]
}

/// The payloads of one version in a log, with their events in another version.
struct FixtureReading {
  let outcomes: [(sample: Sample, outcome: Outcome)]

  init(_ part: FixtureLog.Part, of log: SampleLog, _ upcaster: SampleUpcaster) {
    outcomes = part.range.map { number in
      (sample: log.samples[number], outcome: upcaster.outcome(log.samples[number].form, log.origins[number]))
    }
  }
}

/// One comparison of a plan with its fixtures: the existing files, the files to write, and all problems.
///
/// Nothing is written before the end, and only if there is no problem, so that no partial recording is left.
struct FixtureRecording {
  /// The names of the existing files.
  let found: Set<FixtureName>
  /// All problems so far.
  var problems: [FixtureFailure.Problem] = []
  private let files: FixtureFiles
  private let isRecording: Bool
  private var recorded: [(name: FixtureName, text: String)] = []

  init(_ files: FixtureFiles, _ found: Set<FixtureName>, isRecording: Bool) {
    self.files = files
    self.found = found
    self.isRecording = isRecording
  }

  /// Returns the payloads of all versions: those in the files, and the current samples only for a file that
  /// is being recorded.
  ///
  /// - Returns: First the log with the samples of all versions, then each log that a version declares.
  mutating func logs(of links: [Link]) throws -> [FixtureLog] {
    var samples = FixtureLog(log: SampleLog([]), parts: [])
    var logs: [FixtureLog] = []
    for link in links {
      if let stored = try stored(.samples, [link.samples], link) {
        let start = samples.log.samples.count
        samples.log.add(stored.flatMap { $0 }, of: link.version)
        samples.parts.append(
          .init(content: .samples, version: link.version, range: start..<samples.log.samples.count))
      }
      for log in try stored(.logs, link.logs, link) ?? [] {
        logs.append(
          FixtureLog(
            log: SampleLog(log), parts: [.init(content: .logs, version: link.version, range: log.indices)]))
      }
    }
    return [samples] + logs
  }

  /// Returns the payloads of one version, by log; `nil` if there are none.
  private mutating func stored(
    _ content: FixtureName.Content, _ today: [[Sample]], _ link: Link
  ) throws -> [[Sample]]? {
    let name = FixtureName(content, link.version)
    do throws(FixtureFailure) {
      let text: String
      if found.contains(name) {
        text = try files.read(name)
      } else {
        if link.isDraft || today.allSatisfy(\.isEmpty) { return nil }
        guard isRecording else { throw FixtureFailure([.missing(file: name.text)]) }
        text = StoredFixture.text(of: today, content, version: link.version)
        recorded.append((name, text))
      }
      return try StoredFixture.samples(in: text, content, version: link.version, file: name.text)
    } catch {
      problems += error.problems
      return nil
    }
  }

  /// Compares the payloads of a version, as read in another, with the file of that name.
  ///
  /// - Parameter isNewest: Whether the file must exist.
  mutating func compare(_ readings: [FixtureReading], _ name: FixtureName, isNewest: Bool) throws {
    guard let read = name.read else { return }
    let pathless = Self.pathless(readings, file: FixtureName(name.content, name.stored).text)
    if !pathless.isEmpty {
      // Every later version has the same problems.
      if name.stored == read { problems += pathless }
      return
    }
    let text = ReadFixture.text(of: readings.map(\.outcomes), name.content, from: name.stored, to: read)
    if found.contains(name) {
      problems += ReadFixture.differences(expected: try files.read(name), found: text, file: name.text)
    } else if isRecording {
      recorded.append((name, text))
    } else if isNewest {
      problems.append(.missing(file: name.text))
    }
  }

  /// Returns the records whose payloads the plan cannot read.
  private static func pathless(_ readings: [FixtureReading], file: String) -> [FixtureFailure.Problem] {
    var types: Set<String> = []
    var problems: [FixtureFailure.Problem] = []
    for (sample, outcome) in readings.flatMap(\.outcomes) {
      guard case .refused(let code, let message, let place) = outcome,
        code == .shapeChanged || code == .noPath, types.insert(sample.form.type).inserted
      else { continue }
      problems.append(.noPath(file: file, record: sample.form.type, reason: place ?? message))
    }
    return problems
  }

  /// Writes the new recordings.
  ///
  /// - Returns: The names of the files.
  func write() throws -> [String] {
    for (name, text) in recorded { try files.write(text, name) }
    return recorded.map(\.name.text)
  }
}
