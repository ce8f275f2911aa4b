/// What all repetitions of a scenario with one subject found: one line of the report.
struct Finding: Codable, Sendable {
  let scenario: String
  let subject: String
  let parameters: [String: Int]
  /// The median of the repetitions.
  let rate: Double
  /// The spread of the repetitions.
  let quartiles: Quartiles
  let unit: String
  let repetitions: Int
  /// Over the calls of all repetitions, in microseconds.
  let latency: Latency?
  /// Annals' figure divided by each peer's, and a subject's figure divided by its own in other circumstances.
  ///
  /// Each ratio is taken within one repetition.
  let ratios: [String: Quartiles]?
  /// Whether Annals reached its target.
  let isTargetMet: Bool?
}

extension Finding {
  /// The findings of one scenario.
  ///
  /// - Parameter measurements: For each subject its repetitions, at least one, all in the same order.
  static func all(
    of scenario: any Scenario, _ measurements: [(subject: String, repetitions: [Measurement])]
  ) -> [Finding] {
    measurements.map { subject, repetitions in
      let quartiles = Quartiles(repetitions.map(\.rate))
      let latencies = repetitions.flatMap(\.latencies)
      let isAnnals = subject == AnnalsSubject.name
      let ratios = (isAnnals ? self.ratios(of: repetitions, to: measurements) : [:])
        .merging(ownRatios(repetitions)) { $1 }
      return Finding(
        scenario: scenario.name, subject: subject, parameters: scenario.parameters, rate: quartiles.median,
        quartiles: quartiles, unit: scenario.unit.rawValue, repetitions: repetitions.count,
        latency: latencies.isEmpty ? nil : Latency(latencies), ratios: ratios.isEmpty ? nil : ratios,
        isTargetMet: isAnnals ? scenario.target?.isMet(by: quartiles.median, ratios: ratios) : nil)
    }
  }

  private static func ratios(
    of annals: [Measurement], to measurements: [(subject: String, repetitions: [Measurement])]
  ) -> [String: Quartiles] {
    var ratios: [String: Quartiles] = [:]
    for (subject, repetitions) in measurements where subject != AnnalsSubject.name {
      ratios[subject] = Quartiles(zip(annals, repetitions).map { $0.rate / $1.rate })
    }
    return ratios
  }

  /// The figures divided by the subject's own in other circumstances.
  static func ownRatios(_ repetitions: [Measurement]) -> [String: Quartiles] {
    (repetitions.first?.ratios ?? [:]).reduce(into: [:]) { ratios, one in
      ratios[one.key] = Quartiles(repetitions.compactMap { $0.ratios[one.key] })
    }
  }
}

extension Target {
  /// Whether Annals' figure or its ratio reaches the target; `nil` if the compared subject did not run.
  func isMet(by figure: Double, ratios: [String: Quartiles]) -> Bool? {
    switch self {
    case .part(let part, let other): ratios[other].map { $0.median >= part }
    case .within(let part, let other): ratios[other].map { $0.median <= part }
    case .atMost(let most): figure <= most
    case .both(let one, let other):
      switch (one.isMet(by: figure, ratios: ratios), other.isMet(by: figure, ratios: ratios)) {
      case (let one?, let other?): one && other
      case (let one, let other): one ?? other
      }
    }
  }

  /// The target in words.
  var text: String {
    switch self {
    case .part(let part, let other): "at least \(part) of \(other)"
    case .within(let part, let other): "at most \(part) of \(other)"
    case .atMost(let most): "at most \(most)"
    case .both(let one, let other): "\(one.text) and \(other.text)"
    }
  }
}
