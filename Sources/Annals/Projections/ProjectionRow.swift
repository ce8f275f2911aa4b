public import AnnalsSchema

/// A row of a projection: a record with a key.
///
/// ```swift
/// @Record struct Player: ProjectionRow {
///   var id: UUID
///   var name: String
///   var team: String?
///
///   var key: UUID { id }
///   static let byName = SecondaryKey<Player, String>("name", unique: true) { $0.name }
///   static let byTeam = SecondaryKey<Player, String>("team") { $0.team }
///   static var secondaryKeys: [any DeclaredKey<Player>] { [byName, byTeam] }
/// }
/// ```
public protocol ProjectionRow: ShapedRecord {
  /// What rows are found and ordered by.
  associatedtype Key: RowKey
  /// The key of the row; a projection holds one row for each.
  var key: Key { get }
  /// By what rows can be found besides; none by default.
  static var secondaryKeys: [any DeclaredKey<Self>] { get }
}

extension ProjectionRow {
  /// None.
  public static var secondaryKeys: [any DeclaredKey<Self>] { [] }
}

/// A further key by which rows are found and ordered, without its type.
public protocol DeclaredKey<Row>: Sendable {
  /// The rows.
  associatedtype Row: ProjectionRow
  /// The name of the key on disk, which no other key of the same rows has.
  var name: String { get }
  /// Whether no two rows may have the same.
  var isUnique: Bool { get }
  /// The keys that a row is found by.
  func keys(of row: Row) -> [RowKeyBytes]
}

/// A further key by which rows are found and ordered.
public struct SecondaryKey<Row: ProjectionRow, Key: RowKey>: DeclaredKey {
  /// The name of the key on disk, which no other key of the same rows has.
  public let name: String
  /// Whether no two rows may have the same.
  public let isUnique: Bool
  private let encode: @Sendable (Row) -> [RowKeyBytes]

  /// A key that a row has once, or not at all.
  ///
  /// - Parameters:
  ///   - name: 1 to 500 bytes of UTF-8 without NUL.
  ///   - unique: Whether no two rows may have the same; a projection that puts a second one fails there.
  ///   - key: The key of a row, from nothing but the row; a row is not found by it where it is `nil`.
  public init(_ name: String, unique: Bool = false, _ key: @escaping @Sendable (Row) -> Key?) {
    self.name = name
    isUnique = unique
    encode = { row in key(row).map { [RowKeyBytes($0)] } ?? [] }
  }

  /// A key that a row has any number of times: one for each label, member or word.
  ///
  /// - Parameters:
  ///   - name: As in the other form.
  ///   - unique: As in the other form.
  ///   - keys: The keys of a row, from nothing but the row; one that stands there twice counts once.
  public init(_ name: String, unique: Bool = false, each keys: @escaping @Sendable (Row) -> [Key]) {
    self.name = name
    isUnique = unique
    encode = { row in keys(row).map { RowKeyBytes($0) } }
  }

  /// The keys that a row is found by.
  public func keys(of row: Row) -> [RowKeyBytes] { encode(row) }
}

extension RowKeyBytes {
  /// The bytes of a key.
  init(_ key: some RowKey) {
    key.encode(into: &self)
  }
}
