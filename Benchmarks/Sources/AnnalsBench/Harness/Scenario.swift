#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A piece of work that is measured with each subject that can do it.
protocol Scenario: Sendable {
  /// What it is called in reports and for `--only`.
  var name: String { get }
  /// What tells it apart from others of the same name.
  var parameters: [String: Int] { get }
  /// What is counted.
  var unit: Unit { get }
  /// What Annals is to reach, if anything was promised.
  var target: Target? { get }

  /// Prepares the work for one subject, in an empty directory of its own.
  ///
  /// - Returns: What runs once a repetition; `nil` if the subject cannot do the work.
  func trial<S: Subject>(of subject: S.Type, in directory: URL) async throws -> Trial?
}

extension Scenario {
  var target: Target? { nil }

  /// Name and parameters in one line.
  var title: String {
    ([name] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
  }
}

/// One repetition of a scenario with one subject.
typealias Trial = @Sendable () async throws -> Measurement

/// What one repetition found.
struct Measurement: Sendable {
  /// The figure, in the scenario's unit.
  var rate: Double
  /// How long each call took, where that matters.
  var latencies: [Duration] = []
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
  /// Bytes of pages for each byte of payload; less is better.
  case bytesPerPayloadByte = "bytes/payload byte"
}

/// What Annals is to reach in a scenario.
enum Target: Sendable {
  /// At least this part of a peer's rate.
  case part(Double, of: String)
  /// At most this figure.
  case atMost(Double)
}

/// A scenario that did not do the work that it measures.
struct WrongWork: Error, CustomStringConvertible {
  let description: String
}
