internal import AnnalsCoding
internal import LMDB

/// What a view's file says of itself.
struct ViewFacts: Equatable, Sendable {
  /// The number that the names of its files have.
  var number: UInt64
  /// The projection's name.
  var name: String
  /// The version of the projection.
  var version: Int
  /// What its tables are (``ProjectionOutline/text``).
  var definition: String
  /// What its rows depend on (``ProjectionInputs/text``).
  var inputs: String
  /// The last version of the plan that they were taken from; `nil` where the file does not say.
  var plan: SchemaVersion? = nil
  /// Whether it has caught up once; until then nobody reads from it.
  var isReady: Bool
  /// How far it has read; `nil` before the first batch.
  var checkpoint: Checkpoint?
  /// Up to which position what it has folded is told nobody who observes it, because an older version has told it.
  var gate: UInt64
  /// The number of the file that has taken its place; `nil` where none has.
  var successor: UInt64?
  /// Whether rows of an earlier version are being carried into it: cut short, it is of no use.
  var isCarrying: Bool
}

/// The rows of `meta` in a view's file.
enum ViewRow: String, CaseIterable, Sendable {
  /// Name, version and definition of the projection.
  case view
  /// What the rows depend on.
  case inputs
  /// The last version of the plan that has built it.
  case plan
  /// How far it has read.
  case checkpoint
  /// Whether it has caught up: one byte, 0 or 1.
  case ready
  /// Up to which position nothing is told.
  case gate
  /// The file that has taken its place.
  case successor
  /// That rows of an earlier version are being carried into it: one byte.
  case carrying
}

extension ViewFile {
  /// What the file says of itself.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  func facts(_ view: TransactionView) throws(AnnalsError) -> ViewFacts {
    let head = try row(.view, view) { (reader) throws(FormatFailure) in
      (try reader.countedText(), Int(try reader.number(in: FormatRange.counts)), try reader.countedText())
    }
    guard let (name, version, definition) = head else { throw damage(.view, "it is missing") }
    let inputs = try row(.inputs, view) { (reader) throws(FormatFailure) in try reader.countedText() }
    return ViewFacts(
      number: number, name: name, version: version, definition: definition, inputs: inputs ?? "",
      plan: try plan(view), isReady: try isReady(view), checkpoint: try checkpoint(view),
      gate: try gate(view),
      successor: try successor(view), isCarrying: try isCarrying(view))
  }

  /// The last version of the plan that has built the view; `nil` where the file does not say.
  func plan(_ view: TransactionView) throws(AnnalsError) -> SchemaVersion? {
    let text = try row(.plan, view) { (reader) throws(FormatFailure) in try reader.countedText() }
    return text.flatMap { SchemaVersion($0) }
  }

  /// How far the view has read; `nil` before the first batch.
  func checkpoint(_ view: TransactionView) throws(AnnalsError) -> Checkpoint? {
    try row(.checkpoint, view) { (reader) throws(FormatFailure) in try Checkpoint(&reader) }
  }

  /// Whether the view has caught up once.
  func isReady(_ view: TransactionView) throws(AnnalsError) -> Bool {
    try row(.ready, view) { (reader) throws(FormatFailure) in try reader.byte() == 1 } ?? false
  }

  /// Up to which position observers are told nothing.
  func gate(_ view: TransactionView) throws(AnnalsError) -> UInt64 {
    try row(.gate, view) { (reader) throws(FormatFailure) in try reader.number() } ?? 0
  }

  /// The file that has taken the place of this one; `nil` where none has.
  func successor(_ view: TransactionView) throws(AnnalsError) -> UInt64? {
    try row(.successor, view) { (reader) throws(FormatFailure) in try reader.number() }
  }

  /// Whether rows of an earlier version are being carried into it.
  func isCarrying(_ view: TransactionView) throws(AnnalsError) -> Bool {
    try row(.carrying, view) { (reader) throws(FormatFailure) in try reader.byte() == 1 } ?? false
  }

  private func row<Value>(
    _ row: ViewRow, _ view: TransactionView, _ parse: (inout ByteReader) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value? {
    let key = Array(row.rawValue.utf8)
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key.span, in: meta) } catch {
      throw AnnalsError(error)
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
    AnnalsError(
      .damaged,
      "the view '\(name)': its row '\(row.rawValue)' is not what was stored (\(problem)); rebuild the view",
      details: AnnalsError.Details {
        $0.file = Self.stem(number) + ".mdb"
        $0.table = "meta"
      })
  }
}

extension WriteTransaction {
  /// Sets a row of a view's `meta`.
  mutating func put(_ value: [UInt8], _ row: ViewRow, in file: ViewFile) throws(AnnalsError) {
    try put(value, row.rawValue, in: file.meta)
  }

  /// Sets what a view's file says of itself when it is created.
  mutating func put(
    beginning outline: ProjectionOutline, _ inputs: ProjectionInputs, plan: SchemaVersion?,
    isCarrying: Bool, in file: ViewFile
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
    try put([0], .ready, in: file)
    if isCarrying { try put([1], .carrying, in: file) }
  }
}
