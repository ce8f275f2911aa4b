internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
package import AnnalsCoding
package import LMDB

/// The facts recorded in a view's file.
package struct ViewFacts: Equatable, Sendable {
  /// The number in the names of its files.
  var number: UInt64
  /// The projection's name.
  var name: String
  /// The version of the projection.
  var version: Int
  /// The description of its tables (``ProjectionOutline/text``).
  package var definition: String
  /// The inputs of its rows (``ProjectionInputs/text``).
  var inputs: String
  /// The last version of the plan from which the inputs were taken; `nil` if the file does not record it.
  var plan: SchemaVersion? = nil
  /// Whether it has caught up once. Until then it is not read.
  package var isReady: Bool
  /// The checkpoint up to which it has read; `nil` before the first batch.
  package var checkpoint: Checkpoint?
  /// The position up to which its folds are not reported to observers, because an older version has reported
  /// them.
  var gate: UInt64
  /// The number of the file that has replaced it; `nil` if there is none, its own if the view was withdrawn.
  package var successor: UInt64?
  /// Whether rows of an earlier version are being converted into it. If that is interrupted, the file is
  /// useless.
  var isCarrying: Bool
  /// The positions of erased events of which its rows may still have something, if it was withdrawn for them
  /// alone; `nil` if it was not, or its rows are of no use.
  var erased: PositionRanges? = nil
  /// Why it was withdrawn, if not for an erasure; its rows are of no use then.
  var withdrawal: ViewWithdrawal? = nil

  /// Whether its rows may be folded from erased events, so that no program reads them.
  var isWithdrawn: Bool { successor == number }
}

/// Why a view's file was withdrawn, unless events were erased. The numbers are stored.
enum ViewWithdrawal: UInt8, Sendable {
  /// Tags by which its projection selects events have changed.
  case tags = 1
  /// A generation that had other events was rolled back.
  case rollback = 2
  /// The file is damaged.
  case damage = 3

  /// The reason for the rebuild, in words.
  var reason: String {
    switch self {
    case .tags: "a migration pass, or a rollback, has changed tags by which the projection selects events"
    case .rollback: "a rollback has brought back a generation of the log that has other events"
    case .damage: "its file was damaged"
    }
  }
}

/// The rows of `meta` in a view's file.
enum ViewRow: String, CaseIterable, Sendable {
  /// Name, version and definition of the projection.
  case view
  /// The inputs of the rows.
  case inputs
  /// The last version of the plan that has built it.
  case plan
  /// The checkpoint up to which it has read.
  case checkpoint
  /// Whether it has caught up: one byte, 0 or 1.
  case ready
  /// The position up to which nothing is reported.
  case gate
  /// The file that has replaced it.
  case successor
  /// A mark that rows of an earlier version are being converted into it: one byte.
  case carrying
  /// The stored types that never reach the projection.
  case strangers
  /// The positions of erased events that its rows were folded from, in a file that was withdrawn for them.
  case erased
  /// Why it was withdrawn, if not for an erasure: one byte.
  case retagged
}

extension ViewFile {
  /// Returns the facts recorded in the file.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  package func facts(_ view: TransactionView) throws(AnnalsError) -> ViewFacts {
    let head = try row(.view, view) { (reader) throws(FormatFailure) in
      (try reader.countedText(), Int(try reader.number(in: FormatRange.counts)), try reader.countedText())
    }
    guard let (name, version, definition) = head else { throw damage(.view, "it is missing") }
    let inputs = try row(.inputs, view) { (reader) throws(FormatFailure) in try reader.countedText() }
    return ViewFacts(
      number: number, name: name, version: version, definition: definition, inputs: inputs ?? "",
      plan: try plan(view), isReady: try isReady(view), checkpoint: try checkpoint(view),
      gate: try gate(view),
      successor: try successor(view), isCarrying: try isCarrying(view), erased: try erased(view),
      withdrawal: try withdrawal(view))
  }

  /// Returns the last version of the plan that has built the view; `nil` if the file does not record it.
  func plan(_ view: TransactionView) throws(AnnalsError) -> SchemaVersion? {
    let text = try row(.plan, view) { (reader) throws(FormatFailure) in try reader.countedText() }
    return text.flatMap { SchemaVersion($0) }
  }

  /// Returns the checkpoint up to which the view has read; `nil` before the first batch.
  func checkpoint(_ view: TransactionView) throws(AnnalsError) -> Checkpoint? {
    try row(.checkpoint, view) { (reader) throws(FormatFailure) in try Checkpoint(&reader) }
  }

  /// Whether the view has caught up once.
  func isReady(_ view: TransactionView) throws(AnnalsError) -> Bool {
    try row(.ready, view) { (reader) throws(FormatFailure) in try reader.byte() == 1 } ?? false
  }

  /// Returns the position up to which nothing is reported to observers.
  func gate(_ view: TransactionView) throws(AnnalsError) -> UInt64 {
    try row(.gate, view) { (reader) throws(FormatFailure) in try reader.number() } ?? 0
  }

  /// Returns the number of the file that has replaced this one; `nil` if there is none.
  func successor(_ view: TransactionView) throws(AnnalsError) -> UInt64? {
    try row(.successor, view) { (reader) throws(FormatFailure) in try reader.number() }
  }

  /// Whether rows of an earlier version are being converted into it.
  func isCarrying(_ view: TransactionView) throws(AnnalsError) -> Bool {
    try row(.carrying, view) { (reader) throws(FormatFailure) in try reader.byte() == 1 } ?? false
  }

  /// Returns the positions of erased events for which the view was withdrawn; `nil` if it was not.
  func erased(_ view: TransactionView) throws(AnnalsError) -> PositionRanges? {
    try row(.erased, view) { (reader) throws(FormatFailure) in try PositionRanges(&reader) }
  }

  /// Returns why it was withdrawn; `nil` if it was not, or for an erasure.
  func withdrawal(_ view: TransactionView) throws(AnnalsError) -> ViewWithdrawal? {
    let byte = try row(.retagged, view) { (reader) throws(FormatFailure) in try reader.byte() }
    return byte.flatMap { ViewWithdrawal(rawValue: $0) }
  }

  /// Returns the stored types that never reach the projection. In a file without them, all may.
  func sources(_ view: TransactionView) throws(AnnalsError) -> ProjectionSources {
    let text = try row(.strangers, view) { (reader) throws(FormatFailure) in try reader.countedText() }
    return text.flatMap { ProjectionSources($0) } ?? ProjectionSources()
  }

  private func row<Value>(
    _ row: ViewRow, _ view: TransactionView, _ parse: (inout ByteReader) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value? {
    let key = Array(row.rawValue.utf8)
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key.span, in: meta) } catch {
      throw failure(error)
    }
    guard let stored else { return nil }
    do throws(FormatFailure) {
      var reader = ByteReader(stored.extracting(try Row.open(stored, key: key.span)))
      return try parse(&reader)
    } catch {
      throw damage(row, "\(error)")
    }
  }

  private func damage(_ row: ViewRow, _ problem: String) -> AnnalsError {
    damage("its row '\(row.rawValue)' is not what was stored: \(problem)", in: meta)
  }
}

extension WriteTransaction {
  /// Sets a row of a view's `meta`.
  mutating func put(_ value: [UInt8], _ row: ViewRow, in file: ViewFile) throws(AnnalsError) {
    try put(value, row.rawValue, in: file.meta)
  }

  /// Records the facts in a view's new file.
  mutating func put(
    beginning outline: ProjectionOutline, _ inputs: ProjectionInputs, _ sources: ProjectionSources,
    plan: SchemaVersion?, isCarrying: Bool, in file: ViewFile
  ) throws(AnnalsError) {
    var head: [UInt8] = []
    head.append(counted: outline.name.utf8)
    head.append(varint: UInt64(outline.version))
    head.append(counted: outline.text.utf8)
    try put(head, .view, in: file)
    var lines: [UInt8] = []
    lines.append(counted: inputs.text.utf8)
    try put(lines, .inputs, in: file)
    if let plan {
      var version: [UInt8] = []
      version.append(counted: plan.description.utf8)
      try put(version, .plan, in: file)
    }
    if !sources.strangers.isEmpty {
      var types: [UInt8] = []
      types.append(counted: sources.text.utf8)
      try put(types, .strangers, in: file)
    }
    try put([0], .ready, in: file)
    if isCarrying { try put([1], .carrying, in: file) }
  }
}
