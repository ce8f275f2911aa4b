#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A piece of work that is measured with each subject that can do it.
protocol Scenario: Sendable {
  /// What it is called in reports and for `--only`.
  var name: String { get }
  /// The values that distinguish it from other scenarios of the same name.
  var parameters: [String: Int] { get }
  /// The unit of its figure.
  var unit: Unit { get }
  /// What Annals is to reach, if anything was promised.
  var target: Target? { get }

  /// Prepares the work for one subject.
  ///
  /// - Returns: What runs once a repetition; `nil` if the subject cannot do the work.
  /// - Throws: ``Skipped`` if the machine does not allow it.
  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial?

  /// Prepares the work for the peer that is a program in Python.
  ///
  /// - Returns: What runs once a repetition; `nil` if the scenario has no such work.
  /// - Throws: ``Skipped`` if the peer is not installed.
  func trial(of peer: PythonPeer, at site: Site) async throws -> Trial?
}

extension Scenario {
  var target: Target? { nil }

  func trial(of peer: PythonPeer, at site: Site) async throws -> Trial? { nil }

  /// Name and parameters in one line.
  var title: String {
    ([name] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
  }
}

/// Where the work for one subject takes place.
struct Site: Sendable {
  /// A directory that is empty, for this subject and scenario alone.
  let directory: URL
  /// Stores that were filled for several scenarios.
  let stores: FilledStores
}

/// One repetition of a scenario with one subject; it is given the repetition's number, from 0.
typealias Trial = @Sendable (_ repetition: Int) async throws -> Measurement

/// What one repetition found.
struct Measurement: Sendable {
  /// The figure, in the scenario's unit.
  var rate: Double
  /// How long each call took, where that matters.
  var latencies: [Duration] = []
  /// The figure divided by that of the same subject in other circumstances, by name.
  var ratios: [String: Double] = [:]
}

extension Measurement {
  /// The rate of `count` pieces of work in `duration`.
  init(count: Int, in duration: Duration, latencies: [Duration] = []) {
    self.init(rate: Double(count) / (duration / .seconds(1)), latencies: latencies)
  }
}

/// What a scenario counts.
enum Unit: String, Sendable {
  /// More is better.
  case entriesPerSecond = "entries/s"
  /// How long all of the work takes; less is better.
  case seconds = "s"
  /// How long one piece of work takes; less is better.
  case milliseconds = "ms"
  /// How long one piece of work takes; less is better.
  case microseconds = "µs"
  /// Memory; less is better.
  case mebibytes = "MiB"
  /// Bytes of pages for each byte of payload; less is better.
  case bytesPerPayloadByte = "bytes/payload byte"
}

/// What Annals is to reach in a scenario.
indirect enum Target: Sendable {
  /// At least this part, or multiple, of another rate: a peer's, or its own in other circumstances.
  case part(Double, of: String)
  /// At most this part, or multiple, of another time.
  case within(Double, of: String)
  /// At most this figure.
  case atMost(Double)
  /// Both of them.
  case both(Target, Target)
}

/// A scenario that did not do the work that it measures.
struct WrongWork: Error, CustomStringConvertible {
  let description: String
}

/// A scenario that this machine does not allow.
struct Skipped: Error {
  let reason: String
}
