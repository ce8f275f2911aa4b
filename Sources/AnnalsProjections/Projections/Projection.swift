public import AnnalsSchema
internal import AnnalsShapes
public import AnnalsStore

/// A set of tables folded from the log.
///
/// ```swift
/// enum FileTree: Projection {
///   typealias Event = HistoryV3.Event
///   @Record struct File: ProjectionRow {
///     var path: String
///     var blob: String
///     var key: String { path }
///   }
///
///   static let name = "file-tree"
///   static let version = 1
///   static var tables: [ProjectionTable] { [.rows(File.self)] }
///   static var events: EventQuery<Event> { [\.fileChanged] }
///
///   static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
///     guard case .fileChanged(let change) = entry.event else { return }
///     if let blob = change.blob { try rows.put(File(path: change.path, blob: blob)) }
///     else { try rows.delete(File.self, change.path) }
///   }
/// }
/// ```
///
/// A projection has no state besides its rows. Raise ``version`` whenever you change ``apply(_:to:)`` or the
/// tables.
public protocol Projection<Event>: Sendable {
  /// The events of the plan's current version.
  associatedtype Event: SchemaEvent
  /// The name by which a store knows the projection: 1 to 500 bytes of UTF-8 without NUL.
  static var name: String { get }
  /// The version of the fold and its tables, from 1.
  static var version: Int { get }
  /// The tables: 1 to 100, with each row type once.
  static var tables: [ProjectionTable] { get }
  /// The types of events passed to ``apply(_:to:)``. The default is all.
  static var events: EventQuery<Event> { get }
  /// Folds one event into the rows.
  ///
  /// It is called once for every selected event, in the order of the log. It must depend only on the entry
  /// and the rows: no clock, no randomness, no other source. If it throws, the view stops before the entry
  /// and reports the error.
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws
  /// The rules that convert rows of earlier versions instead of rebuilding them. The default is none.
  static var upcasts: [RowUpcast] { get }
}

extension Projection {
  /// All events.
  public static var events: EventQuery<Event> { .all }
  /// No rules.
  public static var upcasts: [RowUpcast] { [] }
}

/// One table of a projection.
public struct ProjectionTable: Sendable {
  /// The description of the table, without its type.
  let outline: TableOutline
  /// Makes the buffer for rows that have changed and are not yet stored.
  let staging: @Sendable (TableOutline, UInt8) -> StagedRows
  /// Puts a row of the same shape that an earlier version stored.
  let carry: @Sendable (Span<UInt8>, inout ProjectionRows) throws -> Void

  /// Declares the table for a row type.
  public static func rows<R: ProjectionRow>(_ type: R.Type) -> ProjectionTable {
    let keys = R.secondaryKeys.map { KeyOutline(name: $0.name, isUnique: $0.isUnique) }
    let outline = TableOutline(
      type: ObjectIdentifier(type), name: R.recordName, shape: R.recordShape.map { StoredShape($0) },
      keys: keys)
    return ProjectionTable(
      outline: outline, staging: { StagedTable<R>($0, $1) },
      carry: { (payload, rows) in try rows.put(R.decode(payload: payload)) })
  }
}
