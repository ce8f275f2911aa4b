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
  /// The conversions for rows stored by an earlier version; `nil` if none is needed.
  let conversions: RowConversions?

  @_lifetime(copy view)
  init(
    _ view: TransactionView, _ table: Table, prefix: [UInt8] = [], name: String,
    conversions: RowConversions? = nil
  ) {
    self.view = view
    self.table = table
    self.prefix = prefix
    self.name = name
    self.conversions = conversions
  }

  /// Returns the value stored under a whole key, after checking its checksum; `nil` if there is none.
  @_lifetime(copy self)
  func value(of key: Span<UInt8>) throws(AnnalsError) -> Span<UInt8>? {
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key, in: table) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    return try open(stored, key)
  }

  /// Returns the content of a stored value, after checking its checksum.
  @_lifetime(copy stored)
  func open(_ stored: Span<UInt8>, _ key: Span<UInt8>) throws(AnnalsError) -> Span<UInt8> {
    do throws(FormatFailure) { return stored.extracting(try Row.open(stored, key: key)) } catch {
      throw AnnalsError(
        .damaged, "the view '\(name)': a row is not what was stored (\(error)); rebuild the view",
        details: AnnalsError.Details { $0.table = table.definition.name })
    }
  }
}
