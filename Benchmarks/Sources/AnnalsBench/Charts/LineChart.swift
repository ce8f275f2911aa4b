/// Lines over a number, both scales logarithmic.
struct LineChart {
  /// One line.
  struct Line {
    let name: String
    /// With `x` ascending.
    let points: [(x: Double, y: Quartiles)]
  }

  let title: String
  /// What is drawn, in one line below the title.
  let subtitle: String
  /// What `x` is.
  let label: String
  let lines: [Line]
  let across, up: LogarithmicAxis

  /// The chart of some lines. It is `nil` if they have fewer than two different values of `x`, or no positive
  /// values.
  private init?(title: String, subtitle: String, label: String, lines: [Line]) {
    let points = lines.flatMap(\.points)
    guard let least = points.map(\.x).min(), let most = points.map(\.x).max(), least < most, least > 0,
      let lowest = points.map(\.y.low).min(), lowest > 0,
      let highest = points.map(\.y.high).max()
    else { return nil }
    (self.title, self.subtitle, self.label, self.lines) = (title, subtitle, label, lines)
    across = LogarithmicAxis(from: least, to: most, first: 84, last: 600)
    up = LogarithmicAxis(around: lowest, highest, first: 348, last: 84)
  }

  /// The rate of appends over the number of streams, a line for each subject.
  ///
  /// It shows those findings that have the largest commits.
  init?(rates findings: [Finding]) {
    let appends = findings.filter { $0.scenario == "append-batch" }
    guard let batch = appends.compactMap({ $0.parameters["batch"] }).max() else { return nil }
    let shown = appends.filter { $0.parameters["batch"] == batch }
    let payload = shown.compactMap { $0.parameters["payload"] }.max() ?? 0
    self.init(
      title: "Appends by number of streams",
      subtitle:
        "entries/s; \(Report.text(Double(batch))) events of \(payload) bytes in each durable commit; both scales logarithmic",
      label: "streams",
      lines: Self.lines(of: shown, by: \.subject, over: "streams") { $0.quartiles })
  }

  /// The time that work takes over the size of the log, a line for each kind of work.
  ///
  /// A time is that of one call, or of one entry if the work visits all entries. Each is divided by its own
  /// time in the smallest log.
  init?(growth findings: [Finding]) {
    // As many lines as there are colours.
    let shown = findings.filter { GrowthWork($0).map { $0 != .bytes } ?? false }
    guard let least = shown.compactMap({ $0.parameters["entries"] }).min() else { return nil }
    let firsts = Dictionary(
      shown.filter { $0.parameters["entries"] == least }.map { ($0.scenario, $0.rate) },
      uniquingKeysWith: { first, _ in first })
    self.init(
      title: "Work by number of entries",
      subtitle:
        "time of one call, or for one entry, compared with \(Report.text(Double(least))) entries; both scales logarithmic",
      label: "entries",
      lines: Self.lines(of: shown, by: GrowthWork.name, over: "entries") { finding in
        firsts[finding.scenario].map { finding.quartiles.times(comparedWith: $0, finding.unit) }
      })
  }

  /// The lines of the findings, in the order of the report.
  private static func lines(
    of findings: [Finding], by name: (Finding) -> String, over parameter: String, _ y: (Finding) -> Quartiles?
  ) -> [Line] {
    var lines: [Line] = []
    for known in findings.map(name) where !lines.contains(where: { $0.name == known }) {
      let points = findings.filter { name($0) == known }.compactMap { finding in
        finding.parameters[parameter].flatMap { x in y(finding).map { (x: Double(x), y: $0) } }
      }
      lines.append(Line(name: known, points: points.sorted { $0.x < $1.x }))
    }
    return lines
  }
}
