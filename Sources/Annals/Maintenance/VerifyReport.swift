/// What a verification found.
public struct VerifyReport: Sendable {
  /// The most findings that are listed.
  public static let limit = 1_000

  /// How many entries were read.
  public internal(set) var entries: UInt64 = 0
  /// How many streams there are.
  public internal(set) var streams: UInt64 = 0
  /// The first findings, at most ``limit``.
  public private(set) var findings: [Finding] = []
  /// How many findings there were in all.
  public private(set) var count = 0
  /// Whether everything was looked at: a file whose pages are damaged is not read any further.
  public internal(set) var isComplete = true

  /// Whether nothing is wrong.
  public var isClean: Bool { count == 0 && isComplete }

  init() {}

  mutating func add(_ finding: Finding) {
    count += 1
    if findings.count < Self.limit { findings.append(finding) }
  }

  /// Adds what `error` says is wrong at `place`.
  mutating func add(_ error: AnnalsError, place: String, position: Position? = nil) {
    let repair: Finding.Repair =
      switch error.code {
      case .formatVersion, .needsNewer: .upgrade
      default: position == nil && error.details.table != nil ? .rebuild : .restore
      }
    let underlying = (error.underlying as? FormatFailure).map(\.description)
    add(Finding(place: place, position: position, problem: underlying ?? error.message, repair: repair))
  }
}
