import Annals

/// `retain`: applies the retention rules of a store, or changes them.
struct RetainVerb: Verb {
  static let name = "retain"
  static let summary =
    "Hides the events that the retention rules of a store do not keep; sets and removes rules."
  static let synopsis =
    "<store> [--dry-run | --rule PREFIX [--count N] [--days N] | --remove PREFIX | --list] [--json]"
  static let help = """

    A rule is for the streams whose names begin with a prefix; the longest prefix applies. 'compact', and a
    'migrate' that has anything to rewrite, apply the rules too, and turn hidden events into stubs. Ages count
    from the commit. Events of a store that an older version made count as committed at the first commit that
    noted its time.

      --dry-run          counts what would be hidden
      --rule PREFIX      stores a rule, and applies nothing; without limits, it exempts its streams
      --count N          the number of newest events that a stream keeps
      --days N           the days for which events are kept after their commit
      --remove PREFIX    removes the rule of a prefix; hidden events stay hidden
      --list             lists the rules
    """
  static let grammar = Arguments.Grammar(
    flags: ["--dry-run", "--list"], values: ["--rule", "--count", "--days", "--remove"],
    operands: ["<store>"])

  private enum Task {
    case apply(isRehearsal: Bool)
    case store(RetentionRule)
    case remove(String)
    case list
  }

  let store: StorePath
  let isJSON: Bool
  private let task: Task

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    var tasks: [Task] = []
    let (count, days) = (try arguments.number("--count"), try arguments.number("--days"))
    if let prefix = try arguments.value("--rule") {
      guard count != 0, days != 0, days ?? 0 <= 36_525 else {
        throw UsageError("--count is at least 1, and --days 1 to 36525")
      }
      let age = days.map { Duration.seconds(Int64($0) * 86_400) }
      tasks.append(.store(RetentionRule(streamPrefix: prefix, maximumCount: count, maximumAge: age)))
    } else if count != nil || days != nil {
      throw UsageError("--count and --days need --rule")
    }
    if let prefix = try arguments.value("--remove") { tasks.append(.remove(prefix)) }
    if arguments.has("--list") { tasks.append(.list) }
    if arguments.has("--dry-run") { tasks.append(.apply(isRehearsal: true)) }
    guard tasks.count <= 1 else {
      throw UsageError("--dry-run, --rule, --remove and --list exclude each other")
    }
    task = tasks.first ?? .apply(isRehearsal: false)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    switch task {
    case .apply(let isRehearsal):
      let report = try log(isRehearsal ? .readOnly : .readWrite).retain(isRehearsal: isRehearsal)
      if isJSON {
        var line = ReportLine()
        line.add("streams", report.streams)
        line.add("events", report.events)
        line.add("rehearsal", isRehearsal)
        try output.write(line.bytes)
      } else {
        let hidden = isRehearsal ? "would be hidden" : "are hidden"
        try output.writeLine("\(report.events) events of \(report.streams) streams \(hidden)")
      }
    case .store(let rule):
      try await log(.readWrite).setRetention(rule)
      if isJSON {
        var line = Self.line(rule)
        line.add("changed", true)
        try output.write(line.bytes)
      } else {
        try output.writeLine(Self.text(rule))
      }
    case .remove(let prefix):
      let isRemoved = try await log(.readWrite).removeRetention(streamPrefix: prefix)
      if isJSON {
        var line = ReportLine()
        line.add("prefix", prefix)
        line.add("changed", isRemoved)
        try output.write(line.bytes)
      } else {
        try output.writeLine(
          isRemoved
            ? "the rule for '\(PlainText.line(prefix))' is removed"
            : "there was no rule for '\(PlainText.line(prefix))'")
      }
    case .list:
      for rule in try log(.readOnly).retention() {
        try isJSON ? output.write(Self.line(rule).bytes) : output.writeLine(Self.text(rule))
      }
    }
    return ExitStatus.success
  }

  private func log(_ access: StoreOptions.Access) throws(AnnalsError) -> EventLog {
    try EventLog(at: store.url, options: StoreOptions(access: access, creation: .never))
  }

  private static func line(_ rule: RetentionRule) -> ReportLine {
    var line = ReportLine()
    line.add("prefix", rule.prefix)
    if let count = rule.maximumCount { line.add("count", count) }
    if let age = rule.maximumAge { line.add("seconds", UInt64(age.components.seconds)) }
    return line
  }

  private static func text(_ rule: RetentionRule) -> String {
    var limits: [String] = []
    if let count = rule.maximumCount { limits.append("the newest \(count) events") }
    if let age = rule.maximumAge { limits.append("events of the last \(age.components.seconds) seconds") }
    let kept = limits.isEmpty ? "everything" : limits.joined(separator: ", and of those ")
    return "streams '\(PlainText.line(rule.prefix))…' keep \(kept)"
  }
}
