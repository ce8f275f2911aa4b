internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// The stored rows of one projection inside a transaction.
struct RowSource: ~Escapable {
  let view: TransactionView
  let table: Table
  /// The prefix of every key of the projection; empty in a file of its own.
  let prefix: [UInt8]
  /// The projection's name, for errors.
  let name: String
  /// The view's file; `nil` for rows in the log's file.
  let file: ViewFile?
  /// The conversions for rows stored by an earlier version; `nil` if none is needed.
  let conversions: RowConversions?

  @_lifetime(copy view)
  init(
    _ view: TransactionView, _ table: Table, prefix: [UInt8] = [], name: String,
    of file: ViewFile? = nil, conversions: RowConversions? = nil
  ) {
    self.view = view
    self.table = table
    self.prefix = prefix
    self.name = name
    self.file = file
    self.conversions = conversions
  }

  /// Returns the value stored under a whole key, after checking its checksum; `nil` if there is none.
  @_lifetime(copy self)
  func value(of key: Span<UInt8>) throws(AnnalsError) -> Span<UInt8>? {
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key, in: table) } catch {
      throw file.failure(error)
    }
    guard let stored else { return nil }
    return try open(stored, key)
  }

  /// Returns the content of a stored value, after checking its checksum.
  @_lifetime(copy stored)
  func open(_ stored: Span<UInt8>, _ key: Span<UInt8>) throws(AnnalsError) -> Span<UInt8> {
    do throws(FormatFailure) { return stored.extracting(try Row.open(stored, key: key)) } catch {
      if let file { throw file.damage("a row is not what was stored: \(error)", in: table) }
      throw AnnalsError(
        .damaged, "the view '\(name)': a row is not what was stored (\(error)); rebuild the view",
        details: AnnalsError.Details { $0.table = table.definition.name })
    }
  }

  /// Returns the error for an entry of a secondary key that leads to a missing row.
  func leadingNowhere(_ key: String?, to row: String) -> AnnalsError {
    let problem =
      "an entry of a secondary key\(key.map { " '\($0)'" } ?? "") leads to no row of '\(row)'"
    if let file { return file.damage(problem, in: table) }
    return AnnalsError(.damaged, "the view '\(name)': \(problem); rebuild the view")
  }
}
