#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The measuring of one scenario with all its subjects.
struct Run {
  let scenario: any Scenario
  let subjects: [any Subject.Type]
  /// The peer that is a program in Python, if it is to be measured.
  let program: PythonPeer?
  let repetitions: Int
  /// A directory that exists and is empty.
  let directory: URL
  let stores: FilledStores

  /// What was found, and who was left out and why.
  struct Outcome {
    var findings: [Finding] = []
    var skipped: [(subject: String, reason: String)] = []
  }

  /// Prepares all subjects, then measures them in turns, so that a noisy moment strikes each of them alike.
  func outcome() async throws -> Outcome {
    var outcome = Outcome()
    var trials: [(subject: String, trial: Trial)] = []
    func prepare(_ subject: String, _ trial: (Site) async throws -> Trial?) async throws {
      let place = directory.appendingPathComponent(subject)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      do {
        if let trial = try await trial(Site(directory: place, stores: stores)) {
          trials.append((subject, trial))
        }
      } catch let skip as Skipped {
        outcome.skipped.append((subject, skip.reason))
      }
    }
    for subject in subjects {
      try await prepare(subject.name) { try await scenario.trial(of: subject, at: $0) }
    }
    if let program {
      try await prepare(PythonPeer.name) { try await scenario.trial(of: program, at: $0) }
    }
    var measurements = trials.map { (subject: $0.subject, repetitions: [Measurement]()) }
    for repetition in 0..<repetitions {
      // The first subject finds caches and disk in another state than the next ones.
      let order = Array(trials.indices)
      for index in repetition.isMultiple(of: 2) ? order : order.reversed() {
        measurements[index].repetitions.append(try await trials[index].trial(repetition))
      }
    }
    outcome.findings = Finding.all(of: scenario, measurements)
    return outcome
  }
}
