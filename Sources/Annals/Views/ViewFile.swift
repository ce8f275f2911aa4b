internal import LMDB

/// One view's file, open: the rows of one version of a projection, and how far it has read.
final class ViewFile: Sendable {
  /// The tables of every view: rows and the entries of secondary keys by space and key, and what is true of the view as a whole.
  static let definitions = [
    TableDefinition("rows", integerKeys: false), TableDefinition("meta", integerKeys: false),
  ]

  /// The number that the names of its files have.
  let number: UInt64
  /// The projection's name, for errors.
  let name: String
  let environment: Environment
  let rows: Table
  let meta: Table

  private init(number: UInt64, name: String, _ environment: Environment) {
    self.number = number
    self.name = name
    self.environment = environment
    rows = environment.table("rows")
    meta = environment.table("meta")
  }

  /// What the names of a view's files begin with.
  static func stem(_ number: UInt64) -> String {
    let digits = String(number)
    return "v-" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }

  /// Opens the file of a view, or creates an empty one.
  static func open(
    _ number: UInt64, called name: String, in directory: Directory, create: Bool = false
  ) throws(AnnalsError) -> ViewFile {
    let stem = stem(number)
    let locks = try files { () throws(StoreFileError) in
      EnvironmentLocks(
        open: try FileLock(stem + ".open", in: directory),
        queue: try FileLock(stem + ".queue", in: directory),
        write: try FileLock(stem + ".write", in: directory))
    }
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        stem + ".mdb", in: directory, tables: definitions, locks: locks,
        options: EnvironmentOptions(create: create))
    }
    return ViewFile(number: number, name: name, environment)
  }

  /// The rows inside a transaction.
  @_lifetime(copy view)
  func source(_ view: TransactionView) -> RowSource {
    RowSource(view, rows, name: name)
  }

  /// How far the view has read; `nil` in an empty file.
  func checkpoint(_ view: TransactionView) throws(AnnalsError) -> Checkpoint? {
    let key = Array("checkpoint".utf8)
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key.span, in: meta) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    do throws(FormatFailure) {
      var reader = ByteReader(stored.extracting(try Row.open(stored, key: key.span)))
      return try Checkpoint(&reader)
    } catch {
      throw AnnalsError(
        .damaged, "the view '\(name)': its checkpoint is not what was stored (\(error)); rebuild the view")
    }
  }
}
