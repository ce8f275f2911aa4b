#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `growth`: measures everything that may depend on the size of a log, in one log of some size.
struct GrowthCommand: Command {
  private let entries: Int
  private var streams: Int
  private var repetitions = 1
  private var json: String?
  private var directory: String?

  init(_ words: some Sequence<String>) throws(WrongUsage) {
    var words = words.makeIterator()
    guard let entries = words.next().flatMap({ Int($0) }), (100_000...1_000_000_000).contains(entries) else {
      throw WrongUsage(description: "growth needs a number of entries from 100,000 to 1,000,000,000")
    }
    self.entries = entries
    streams = min(1_000_000, entries / 10)
    while let word = words.next() {
      guard let value = words.next() else { throw WrongUsage(description: "\(word) needs a value") }
      switch word {
      case "--repeat":
        guard let count = Int(value), (1...1000).contains(count) else {
          throw WrongUsage(description: "--repeat is a number from 1 to 1,000")
        }
        repetitions = count
      case "--streams":
        guard let count = Int(value), (1...entries).contains(count) else {
          throw WrongUsage(description: "--streams is a number from 1 to that of the entries")
        }
        streams = count
      case "--json": json = value
      case "--directory": directory = value
      default: throw WrongUsage(description: "'\(word)' is not known")
      }
    }
  }

  func run() async throws {
    var found: [GrowthWork: [Measurement]] = [:]
    let parameters = ["entries": entries, "streams": streams, "payload": TypedLog.payloadBytes]
    for _ in 0..<repetitions {
      try await Workplace.lend(inside: Workplace.parent(directory)) { place in
        let log = GrowingLog(entries: entries, streams: streams, directory: place)
        for (work, measurement) in try await log.measure() { found[work, default: []].append(measurement) }
      }
    }
    let findings = GrowthWork.allCases.compactMap { work in
      found[work].map { finding(work, $0, parameters) }
    }
    for finding in findings {
      let latency = finding.latency.map {
        "; \([$0.p50, $0.p99, $0.p999, $0.max].map(Report.text).joined(separator: " / ")) µs"
      }
      let ratios = (finding.ratios ?? [:]).sorted { $0.key < $1.key }.map {
        "; \($0) \(Report.text($1.median))"
      }
      print(
        "\(finding.scenario) entries=\(entries) streams=\(streams): \(Report.text(finding.rate)) \(finding.unit) "
          + "(\(Report.text(finding.quartiles.low)) to \(Report.text(finding.quartiles.high)))\(latency ?? "")\(ratios.joined())"
      )
    }
    if let json { try add(findings, to: URL(fileURLWithPath: json)) }
  }

  private func finding(
    _ work: GrowthWork, _ measurements: [Measurement], _ parameters: [String: Int]
  ) -> Finding {
    let quartiles = Quartiles(measurements.map(\.rate))
    let latencies = measurements.flatMap(\.latencies)
    let ratios = Finding.ownRatios(measurements)
    return Finding(
      scenario: work.scenario, subject: AnnalsSubject.name, parameters: parameters, rate: quartiles.median,
      quartiles: quartiles, unit: work.unit.rawValue, repetitions: measurements.count,
      latency: latencies.isEmpty ? nil : Latency(latencies), ratios: ratios.isEmpty ? nil : ratios,
      isTargetMet: nil)
  }

  /// Adds the findings to what the file has of other sizes.
  private func add(_ findings: [Finding], to file: URL) throws {
    var report = Report()
    if FileManager.default.fileExists(atPath: file.path) { try report.resume(file) }
    try report.write(findings, to: file)
  }
}
