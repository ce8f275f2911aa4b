import Foundation
import LMDB

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsProjections

/// Books in a library: rows with keys of every kind.
enum Library: Projection {
  typealias Event = LibraryV1.Event

  @Record struct Book: ProjectionRow, Equatable {
    var shelf: String
    var number: Int
    var title: String
    var labels: [String]
    var score: Double?

    var key: Keys<String, Int> { Keys(shelf, number) }
    static let byTitle = SecondaryKey<Book, String>("title", unique: true) { $0.title }
    static let byLabel = SecondaryKey<Book, String>("label", each: { $0.labels })
    static let byScore = SecondaryKey<Book, Double>("score") { $0.score }
    static var secondaryKeys: [any DeclaredKey<Book>] { [byTitle, byLabel, byScore] }
  }
  @Record struct Shelf: ProjectionRow, Equatable {
    var name: String
    var books: Int

    var key: String { name }
  }

  static let name = "library"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Shelf.self), .rows(Book.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
}

@Schema(1, 0, 0) enum LibraryV1 {
  @Record struct Opened { var name: String }
}

/// A file of books in a directory of its own, which is removed with it.
final class LibraryFile {
  let environment: Environment
  let outline: ProjectionOutline
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
    let directory = try Directory.open(path: place.url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open", in: directory), queue: try FileLock("queue", in: directory),
      write: try FileLock("write", in: directory))
    environment = try Environment.open(
      "rows.mdb", in: directory, tables: [TableDefinition("rows", integerKeys: false)], locks: locks,
      options: EnvironmentOptions(create: true))
    outline = try ProjectionOutline(Library.self)
  }

  /// Lends rows that can be changed to `body`, and stores what it has staged.
  func change(prefix: [UInt8] = [], _ body: (inout ProjectionRows) throws -> Void) throws {
    try change(RowStaging(outline, Library.tables), prefix: prefix, body)
  }

  /// The same with rows that stay in memory from one batch to the next.
  func change(
    _ staging: RowStaging, prefix: [UInt8] = [], _ body: (inout ProjectionRows) throws -> Void
  ) throws {
    var transaction = try environment.beginWrite(durability: .none)
    do {
      var rows = ProjectionRows(staging, source(transaction.view, prefix))
      try body(&rows)
    }
    try staging.flush(into: &transaction, environment.table("rows"))
    try transaction.commit()
    staging.settle()
  }

  /// Calls `body` with the stored rows.
  func read<R>(prefix: [UInt8] = [], _ body: (borrowing StoredLibrary) throws -> R) throws -> R {
    let transaction = try environment.beginRead()
    return try body(StoredLibrary(source: source(transaction.view, prefix), outline: outline))
  }

  @_lifetime(copy view)
  private func source(_ view: TransactionView, _ prefix: [UInt8]) -> RowSource {
    RowSource(view, environment.table("rows"), prefix: prefix, name: "library")
  }
}

/// The stored rows of a file of books.
struct StoredLibrary: ~Copyable, ~Escapable, ReadableRows {
  let source: RowSource
  let outline: ProjectionOutline

  @_lifetime(copy source)
  init(source: RowSource, outline: ProjectionOutline) {
    self.source = source
    self.outline = outline
  }

  var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, outline) }
  }
}
