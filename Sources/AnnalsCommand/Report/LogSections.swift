import Annals

/// The sections of a page about the log: types, versions, charts, streams, and what a pass would change.
struct LogSections {
  let report: StoreReport

  func write(to page: inout HTMLWriter) {
    charts(&page)
    types(&page)
    versions(&page)
    streams(&page)
    pass(&page)
    verification(&page)
  }

  /// The colour of each series of the sample: those with the most entries have their own.
  private var palette: [Int] {
    var counts = report.sample.series.map { _ in 0 }
    for entry in report.sample.entries { counts[entry.series] += 1 }
    let order = counts.indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
    var palette = counts.map { _ in DistributionChart.colours }
    for (colour, series) in order.prefix(DistributionChart.colours).enumerated() { palette[series] = colour }
    return palette
  }

  private func charts(_ page: inout HTMLWriter) {
    let (sample, palette) = (report.sample, palette)
    page.element("h2", "Events along the log")
    guard !sample.entries.isEmpty else { return page.element("p", ["class": "dim"], "The log is empty.") }
    page.element(
      "p", ["class": "dim"],
      sample.isWhole
        ? "Every entry is counted."
        : "Drawn from \(Quantity.count(UInt64(sample.entries.count))) entries at evenly spaced positions; each represents \(Quantity.tenths(sample.weight)). The numbers below are exact."
    )
    legend(&page, palette)
    page.element("div", ["class": "charts"]) { page in
      for axis in [EntryDistribution.Axis.position, .time] {
        let distribution = EntryDistribution(of: sample, over: axis, sections: StoreReport.sectionCount)
        let name = axis == .position ? "position" : "time of the event"
        DistributionChart(
          "Entries by \(name)", distribution, palette: palette, { $0.entries }, label: Quantity.count
        ).write(to: &page)
        DistributionChart(
          "Bytes by \(name)", distribution, palette: palette, { $0.bytes }, label: Quantity.bytes
        ).write(to: &page)
      }
    }
  }

  private func legend(_ page: inout HTMLWriter, _ palette: [Int]) {
    page.element("ul", ["class": "legend"]) { page in
      for colour in 0..<DistributionChart.colours {
        guard let series = palette.firstIndex(of: colour) else { continue }
        let name = report.sample.series[series]
        item(&page, colour, "\(name.type) \(Self.name(name.version))")
      }
      if palette.contains(DistributionChart.colours) { item(&page, DistributionChart.colours, "all others") }
    }
  }

  private func item(_ page: inout HTMLWriter, _ colour: Int, _ text: String) {
    page.element("li") { page in
      page.element("i", ["class": "c\(colour)"], "")
      page.append(text)
    }
  }

  private func types(_ page: inout HTMLWriter) {
    page.element("h2", "Types and versions")
    let bytes = report.pulse.payloadBytes
    page.table(
      [
        .init(title: "type"), .init(title: "version"), .init(title: "events", isNumber: true),
        .init(title: "bytes", isNumber: true), .init(title: "share", isNumber: true),
        .init(title: "stubs", isNumber: true), .init(title: "set aside", isNumber: true),
        .init(title: "first position", isNumber: true),
      ],
      report.info.census.map { line in
        [
          line.type, Self.name(line.version), Quantity.count(line.count), Quantity.bytes(line.bytes),
          Quantity.percent(line.bytes, of: bytes), Quantity.count(line.stubs),
          Quantity.count(line.quarantined), "\(line.first)",
        ]
      }, ifEmpty: "No event was stored yet.")
  }

  private func versions(_ page: inout HTMLWriter) {
    page.element("h2", "Schemas")
    var counts: [SchemaVersion: UInt64] = [:]
    for line in report.info.census {
      if let version = line.version { counts[version, default: 0] &+= line.count &+ line.quarantined }
    }
    let needed = report.outlook?.check.raisable
    let all = Set(counts.keys).union(report.outlook?.versions ?? []).sorted()
    page.table(
      [.init(title: "version"), .init(title: "events stored in it", isNumber: true), .init(title: "")],
      all.map { version in
        let count = counts[version, default: 0]
        return ["\(version)", Quantity.count(count), fate(of: version, count, needed)]
      }, ifEmpty: "No event has a version.")
    let text =
      if report.outlook == nil {
        "The command of a plan also says which of its schemas can be deleted."
      } else if let needed {
        "The plan may begin at \(needed) and still read this store. Backups and other stores may need older schemas."
      } else {
        "The plan cannot read the store as it is, so no schema can be deleted."
      }
    page.element("p", ["class": "dim"], text)
  }

  private func fate(of version: SchemaVersion, _ count: UInt64, _ needed: SchemaVersion?) -> String {
    guard let outlook = report.outlook else { return count > 0 ? "stored" : "no event left" }
    guard outlook.versions.contains(version) else { return "not in the plan" }
    guard let needed else { return count > 0 ? "stored" : "not stored" }
    if version < needed { return "can be deleted" }
    return version == outlook.check.current ? "current" : "needed"
  }

  private func streams(_ page: inout HTMLWriter) {
    page.element("h2", "Largest streams")
    if !report.streams.isWhole {
      page.element(
        "p", ["class": "dim"],
        "The log has more than \(Quantity.count(UInt64(StreamSizes.limit))) streams. Those that the sample met most often are compared."
      )
    }
    page.table(
      [
        .init(title: "stream"), .init(title: "entries", isNumber: true),
        .init(title: report.sample.isWhole ? "bytes" : "bytes, about", isNumber: true),
        .init(title: "first", isNumber: true), .init(title: "last", isNumber: true),
      ],
      report.streams.lines.map { line in
        [
          line.name, Quantity.count(line.entries), line.bytes.map(Quantity.bytes) ?? "not sampled",
          "\(line.first)", "\(line.last)",
        ]
      }, ifEmpty: "There are no streams.")
  }

  private func pass(_ page: inout HTMLWriter) {
    page.element("h2", "What a migration pass would change")
    guard let check = report.outlook?.check else {
      let text = "Only the command of a plan can say what a pass would change."
      return page.element("p", ["class": "dim"], text)
    }
    if let refusal = check.refusal { page.element("p", ["class": "bad"], refusal) }
    if check.needsActivation { page.element("p", "The store must be activated before the plan reads it.") }
    if check.needsPass { page.element("p", "The plan reads the store only after a pass.") }
    let rows = check.kinds.compactMap { kind -> [String]? in
      guard kind.count > 0 || kind.quarantined > 0 else { return nil }
      let fate: String
      if let problem = kind.problem {
        fate = "cannot be read: \(problem)"
      } else if let stage = kind.retainedBy {
        fate = "stays as it is stored: the stage to \(stage) retains it"
      } else if kind.stages.isEmpty {
        return nil
      } else {
        fate =
          "rewritten at \(check.current), through \(kind.stages.map(\.description).joined(separator: ", "))"
      }
      return [kind.type, Self.name(kind.version), Quantity.count(kind.count), fate]
    }
    page.table(
      [
        .init(title: "type"), .init(title: "version"), .init(title: "events", isNumber: true),
        .init(title: "a pass"),
      ], rows, ifEmpty: "Nothing: all events are of the plan's current version.")
  }

  private func verification(_ page: inout HTMLWriter) {
    page.element("h2", "Verification")
    guard let verification = report.verification else {
      return page.element("p", ["class": "dim"], "Not checked. With --verify every page and entry is.")
    }
    let result = verification.report
    let found = "\(result.count) findings at \(verification.time)"
    page.element(
      "p", ["class": result.isClean ? "good" : "bad"],
      result.isClean
        ? "Nothing wrong at \(verification.time): \(Quantity.count(result.entries)) entries in \(Quantity.count(result.streams)) streams."
        : result.isComplete
          ? "\(found)." : "\(found). The log was not read, because pages of its file are damaged.")
    guard !result.findings.isEmpty else { return }
    page.table(
      [.init(title: "place"), .init(title: "problem"), .init(title: "what repairs it")],
      result.findings.prefix(100).map { [$0.place, $0.problem, $0.repair.rawValue] }, ifEmpty: "")
  }

  static func name(_ version: SchemaVersion?) -> String { version.map { "\($0)" } ?? "no version" }
}
