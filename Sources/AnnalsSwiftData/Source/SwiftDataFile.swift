public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A file of SwiftData or Core Data, opened for reading.
///
/// The file is copied, together with its `-wal` or `-journal`, into the folder for temporary files, and the
/// copy is read. Nothing at the source is created, locked or changed. The value belongs to one thread at a
/// time.
///
/// ```swift
/// let file = try SwiftDataFile(at: url)
/// let proposal = try file.proposal(named: "Resources")
/// let report = try file.importRows(into: log, mapping: proposal.mapping)
/// ```
public final class SwiftDataFile {
  /// The id that the framework gave the store in this file.
  public let id: UUID
  /// The name of the file in messages.
  let name: String
  /// The entities, in the order of their numbers.
  let entities: [SourceEntity]
  /// The model that the file has, if it has one in a known form.
  let model: ManagedModel?
  /// The versions of the model, as the app called them.
  let versions: [String]
  /// The changes that the file remembers; `nil` without a history.
  let history: SourceHistory?
  let database: SQLiteDatabase
  let tables: StoreTables
  let external: ExternalFolder
  private let copy: SourceCopy

  /// Opens the file at `url`.
  ///
  /// - Parameter url: A SQLite file that SwiftData or Core Data wrote, such as `default.store`.
  /// - Throws: ``AnnalsError`` with code `noSuchStore` if there is no file; `notAStore` for a file of
  ///   another kind; `damaged` with the problem found; `busy` if a program changes it while it is copied;
  ///   `permission`, `diskFull`, `tooLarge` or `inputOutput`.
  /// - Complexity: O(bytes of the file), in time and in space for temporary files.
  public init(at url: URL) throws(AnnalsError) {
    let given = try url.exactPath()
    name = String(decoding: given.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    let path = FileStatus.resolved(given)
    copy = try SourceCopy(of: path, name: name)
    database = try SQLiteDatabase(path: copy.path, name: name)
    tables = try StoreTables(database)
    try database.check()
    let metadata = try StoreMetadata(database)
    id = metadata.id
    versions = metadata.versions
    model =
      tables.has("Z_MODELCACHE", "Z_CONTENT")
      ? try database.rows("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1").first?.first?.blob
        .flatMap { ManagedModelReader.model(in: $0) } : nil
    entities = try SourceEntities(database, tables, model).all()
    history = try SourceHistory(database, tables)
    external = ExternalFolder(of: path)
  }
}

/// What the table Z_METADATA says of a file.
struct StoreMetadata {
  let id: UUID
  let versions: [String]

  init(_ database: SQLiteDatabase) throws(AnnalsError) {
    let row = try database.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1").first
    guard let row, let text = row[0].text, let id = UUID(uuidString: text) else {
      throw AnnalsError(
        .damaged,
        "'\(database.name)' has no id: Z_METADATA has \(row.map { "'\($0[0].kind)'" } ?? "no row") where "
          + "the framework writes a UUID; restore the file from a backup")
    }
    self.id = id
    // The list of versions is shown and nothing depends on it.
    let list = row[1].blob.flatMap { try? PropertyListReader.value($0) }
    versions = list?["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.text) ?? []
  }
}
