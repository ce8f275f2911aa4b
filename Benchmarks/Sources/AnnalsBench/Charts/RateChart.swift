/// The rate of appends over the number of streams, a line for each subject.
struct RateChart {
  /// One subject's rates.
  struct Line {
    let subject: String
    /// With the number of streams ascending.
    let points: [(streams: Double, rate: Quartiles)]
  }

  let lines: [Line]
  /// The events of one commit.
  let batch: Int
  /// The bytes of one payload.
  let payload: Int
  let across, up: LogarithmicAxis

  /// The chart of the findings with the largest commits; `nil` for fewer than two numbers of streams.
  init?(_ findings: [Finding]) {
    let appends = findings.filter { $0.scenario == "append-batch" }
    guard let batch = appends.compactMap({ $0.parameters["batch"] }).max() else { return nil }
    let shown = appends.filter { $0.parameters["batch"] == batch }
    var lines: [Line] = []
    // In the order of the report.
    for subject in shown.map(\.subject) where !lines.contains(where: { $0.subject == subject }) {
      let points = shown.filter { $0.subject == subject }.compactMap { finding in
        finding.parameters["streams"].map { (streams: Double($0), rate: finding.quartiles) }
      }
      lines.append(Line(subject: subject, points: points.sorted { $0.streams < $1.streams }))
    }
    let points = lines.flatMap(\.points)
    let streams = points.map(\.streams)
    guard let fewest = streams.min(), let most = streams.max(), fewest < most, fewest > 0,
      let lowest = points.map(\.rate.low).min(), lowest > 0,
      let highest = points.map(\.rate.high).max()
    else { return nil }
    self.lines = lines
    self.batch = batch
    payload = shown.compactMap { $0.parameters["payload"] }.max() ?? 0
    across = LogarithmicAxis(from: fewest, to: most, first: 84, last: 600)
    up = LogarithmicAxis(around: lowest, highest, first: 348, last: 84)
  }
}
