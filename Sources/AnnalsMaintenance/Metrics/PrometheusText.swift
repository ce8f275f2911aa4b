/// Text in the exposition format of Prometheus, version 0.0.4.
struct PrometheusText {
  /// The kind of a metric.
  enum Kind: String {
    case counter
    case gauge
  }

  /// The text so far.
  private(set) var text = ""

  /// Adds a metric with its samples, one line each. A metric without samples is omitted.
  ///
  /// - Parameters:
  ///   - name: The name without the prefix `annals_`.
  ///   - help: The meaning of the numbers, on one line.
  ///   - samples: The labels and the value of each sample.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
  ) {
    guard !samples.isEmpty else { return }
    text += "# HELP annals_\(name) \(Self.escaped(help))\n# TYPE annals_\(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
      let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
      text += "annals_\(name)\(list) \(Self.number(sample.value))\n"
    }
  }

  /// Adds a metric with one sample and no labels.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [(labels: [], value: value)])
  }

  /// Returns a text with backslashes and ends of lines escaped, as the format has them, and in labels quotes.
  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    // By scalars: a carriage return and a line feed are one character, as are a quote and an accent.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns a number without a point if it is whole.
  private static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return "\(whole)" }
    return value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
  }
}
