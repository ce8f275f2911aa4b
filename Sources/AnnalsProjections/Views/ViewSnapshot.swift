internal import AnnalsLog
internal import AnnalsShapes
internal import AnnalsStore
public import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// A consistent snapshot of a view, passed to a closure. It cannot be copied or kept.
public struct ViewSnapshot<P: Projection>: ~Copyable, ReadableRows {
  let transaction: ReadTransaction
  let file: ViewFile
  /// The tables in the file, which may be of an earlier version.
  let outline: ProjectionOutline
  /// The conversions for rows of an earlier version; `nil` if none is needed.
  private let conversions: RowConversions?

  init(
    _ file: ViewFile, _ outline: ProjectionOutline, _ conversions: RowConversions? = nil
  ) throws(AnnalsError) {
    do { transaction = try file.environment.beginRead() } catch { throw file.failure(error) }
    self.file = file
    self.outline = outline
    self.conversions = conversions
  }

  /// The stored rows.
  var source: RowSource {
    @_lifetime(borrow self)
    get { file.source(transaction.view, conversions) }
  }

  /// Returns the position up to which the view has read; 0 before the first.
  func read() throws(AnnalsError) -> UInt64 { try position()?.rawValue ?? 0 }

  /// Ends the snapshot now.
  consuming func end() {}

  /// Whether another file has replaced this one.
  func hasSuccessor() throws(AnnalsError) -> Bool {
    try file.successor(transaction.view) != nil
  }

  /// The source for queries.
  public var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, outline) }
  }

  /// Returns the position up to which the view has read; `nil` before the first event.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  public func position() throws(AnnalsError) -> Position? {
    guard let checkpoint = try file.checkpoint(transaction.view), checkpoint.position.rawValue > 0 else {
      return nil
    }
    return checkpoint.position
  }

  /// Returns the row with a key; `nil` if there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is not a table of the projection,
  ///   `damaged` or `inputOutput`.
  /// - Complexity: One look-up.
  public func get<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> R? {
    let space = try outline.space(of: type)
    var whole = RowKeyBytes()
    whole.append(space)
    key.encode(into: &whole)
    let bytes = whole.bytes
    guard bytes.count <= RowStaging.keyLimit, let stored = try source.value(of: bytes.span) else {
      return nil
    }
    return try source.decode(stored)
  }
}

@available(*, unavailable)
extension ViewSnapshot: Sendable {}

extension ProjectionOutline {
  /// Returns the space that holds rows of a type.
  func space<R: ProjectionRow>(of type: R.Type) throws(AnnalsError) -> UInt8 {
    guard let index = table(of: ObjectIdentifier(type)) else {
      throw AnnalsError(.wrongUse, "the projection '\(name)' has no table of \(type): name it in 'tables'")
    }
    return spaces[index]
  }
}

extension RowSource {
  /// Decodes a row from its stored payload.
  func decode<R: ProjectionRow>(_ payload: Span<UInt8>) throws(AnnalsError) -> R {
    do throws(CodingFailure) {
      guard let conversion = conversions?.conversion(for: ObjectIdentifier(R.self)) else {
        return try R.decode(payload: payload)
      }
      var converted: [UInt8] = []
      try conversion.apply(payload, to: &converted)
      return try R.decode(payload: converted.span)
    } catch {
      throw AnnalsError(
        .damaged,
        "the view '\(name)': a row of '\(R.recordName)' cannot be decoded (\(error)); rebuild the view",
        underlying: error)
    }
  }
}
