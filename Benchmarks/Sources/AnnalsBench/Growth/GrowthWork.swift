/// A kind of work that is measured for each size of a log.
enum GrowthWork: String, CaseIterable, Sendable {
  /// Appends in durable commits, from the first entry to the last.
  case append
  /// The last tenth of them.
  case appendEnd = "append-end"
  /// One pass over the log.
  case scan
  /// A read of one entry of a stream, both chosen at random.
  case readEntry = "read-entry"
  /// `verify` of the closed store.
  case verify
  /// Opening a closed store until it has served a read of a stream and an append.
  case openClosed = "open-closed"
  /// A migration pass with a rule on every entry.
  case pass
  /// The same as ``openClosed``, after another process that appended was killed.
  case openKilled = "open-killed"
  /// The bytes of pages in use.
  case bytes

  private static let prefix = "growth-"

  /// The scenario of its findings.
  var scenario: String { Self.prefix + rawValue }

  /// The unit of the figure.
  var unit: Unit {
    switch self {
    case .append, .appendEnd, .scan, .verify, .pass: .entriesPerSecond
    case .readEntry: .microseconds
    case .openClosed, .openKilled: .milliseconds
    case .bytes: .bytesPerPayloadByte
    }
  }

  /// What a finding is about, if it is about growth.
  init?(_ finding: Finding) {
    guard finding.scenario.hasPrefix(Self.prefix) else { return nil }
    self.init(rawValue: String(finding.scenario.dropFirst(Self.prefix.count)))
  }

  /// The work's name in a chart.
  static func name(_ finding: Finding) -> String { GrowthWork(finding)?.rawValue ?? finding.scenario }
}

extension Quartiles {
  /// These figures as multiples of the time that `first` was, of which more is better where it is a rate.
  func times(comparedWith first: Double, _ unit: String) -> Quartiles {
    unit == Unit.entriesPerSecond.rawValue
      ? Quartiles([first / high, first / median, first / low])
      : Quartiles([low / first, median / first, high / first])
  }
}
