package import AnnalsCoding

/// The findings of a verification.
public struct VerifyReport: Sendable {
  /// The maximum number of findings that are listed.
  public static let limit = 1_000

  /// The number of entries that were read.
  public package(set) var entries: UInt64 = 0
  /// The number of streams.
  public package(set) var streams: UInt64 = 0
  /// The first findings, at most ``limit``.
  public private(set) var findings: [Finding] = []
  /// The number of findings in all.
  public private(set) var count = 0
  /// Whether everything was checked: a file with damaged pages is not read any further.
  public package(set) var isComplete = true
  /// The number of rows and entries looked up in addition to the scans, which slows down checks of long logs.
  package var lookUps: UInt64 = 0

  /// Whether nothing is wrong.
  public var isClean: Bool { count == 0 && isComplete }

  package init() {}

  package mutating func add(_ finding: Finding) {
    // A row that many entries lead to is one finding.
    if findings.contains(finding) { return }
    count += 1
    if findings.count < Self.limit { findings.append(finding) }
  }

  /// Counts findings that are not listed.
  package mutating func add(unlisted more: Int) {
    count += more
  }

  /// Adds the problem of `error`: at the row that it names, otherwise at `place`.
  ///
  /// - Parameter repair: The way to repair it; by default it follows from the place.
  package mutating func add(
    _ error: AnnalsError, place: String, position: Position? = nil, repair: Finding.Repair? = nil
  ) {
    let table = error.details.table
    let usual: Finding.Repair =
      switch error.code {
      case .formatVersion, .needsNewer: .upgrade
      default: table == nil || table == "meta" ? .restore : .rebuild
      }
    let underlying = (error.underlying as? FormatFailure).map(\.description)
    add(
      Finding(
        place: table == nil ? place : error.details.place ?? place, position: table == nil ? position : nil,
        problem: error.details.problem ?? underlying ?? error.message, repair: repair ?? usual))
  }
}
