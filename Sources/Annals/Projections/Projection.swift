public import AnnalsSchema

/// Tables folded from the log.
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
///   static var events: EventSelection<Event> { [\.fileChanged] }
///
///   static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
///     guard case .fileChanged(let change) = entry.event else { return }
///     if let blob = change.blob { try rows.put(File(path: change.path, blob: blob)) }
///     else { try rows.delete(File.self, change.path) }
///   }
/// }
/// ```
///
/// A projection has no state besides its rows. Whoever changes what ``apply(_:to:)`` does, or the tables, raises ``version``.
public protocol Projection<Event>: Sendable {
  /// The events of the plan's current version.
  associatedtype Event: SchemaEvent
  /// The name by which a store knows the projection: 1 to 500 bytes of UTF-8 without NUL.
  static var name: String { get }
  /// The version of the fold and of its tables, from 1.
  static var version: Int { get }
  /// The tables, 1 to 100; each row type once.
  static var tables: [ProjectionTable] { get }
  /// The types of events that are handed to ``apply(_:to:)``; all by default.
  static var events: EventSelection<Event> { get }
  /// Folds one event into the rows.
  ///
  /// It is given every selected event once, in the order of the log, and knows nothing but the entry and the rows: no clock, no randomness, no other source.
  /// Where it throws, the view stops before the entry and says so.
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws
  /// How rows of earlier versions become rows of this one, in place of a rebuild; none by default.
  static var upcasts: [RowUpcast] { get }
  /// Earlier versions of the projection that go on following the log in this program until this version has caught up; none by default.
  static var earlier: [any Projection<Event>.Type] { get }
}

extension Projection {
  /// All.
  public static var events: EventSelection<Event> { .all }
  /// None.
  public static var upcasts: [RowUpcast] { [] }
  /// None.
  public static var earlier: [any Projection<Event>.Type] { [] }
}

/// One table of a projection.
public struct ProjectionTable: Sendable {
  /// What the table is, without its type.
  let outline: TableOutline
  /// Room for rows that were changed and not stored yet.
  let staging: @Sendable (TableOutline, UInt8) -> StagedRows
  /// Puts a row that an earlier version has stored, after converting it where that is needed.
  let carry: @Sendable (Span<UInt8>, Conversion?, inout ProjectionRows) throws -> Void

  /// The table of rows of a type.
  public static func rows<R: ProjectionRow>(_ type: R.Type) -> ProjectionTable {
    let keys = R.secondaryKeys.map { KeyOutline(name: $0.name, isUnique: $0.isUnique) }
    let outline = TableOutline(
      type: ObjectIdentifier(type), name: R.recordName, shape: R.recordShape.map { StoredShape($0) },
      keys: keys)
    return ProjectionTable(
      outline: outline, staging: { StagedTable<R>($0, $1) },
      carry: { (payload, conversion, rows) in
        guard let conversion else { return try rows.put(R.decode(payload: payload)) }
        var converted: [UInt8] = []
        try conversion.apply(payload, to: &converted)
        try rows.put(R.decode(payload: converted.span))
      })
  }
}
