public import AnnalsCoding
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
  /// The type of the key by which rows are found and ordered.
  associatedtype Key: RowKey
  /// The key of the row. A projection holds one row for each key.
  var key: Key { get }
  /// The further keys by which rows can be found. The default is none.
  static var secondaryKeys: [any DeclaredKey<Self>] { get }
}

extension ProjectionRow {
  /// No secondary keys.
  public static var secondaryKeys: [any DeclaredKey<Self>] { [] }
}

/// A secondary key of rows, without its type.
public protocol DeclaredKey<Row>: Sendable {
  /// The row type.
  associatedtype Row: ProjectionRow
  /// The name of the key on disk, unique among the keys of the row type.
  var name: String { get }
  /// Whether the key must be unique among rows.
  var isUnique: Bool { get }
  /// Returns the keys by which a row is found.
  func keys(of row: Row) -> [RowKeyBytes]
}

/// A further key by which rows are found and ordered.
public struct SecondaryKey<Row: ProjectionRow, Key: RowKey>: DeclaredKey {
  /// The name of the key on disk, unique among the keys of the row type.
  public let name: String
  /// Whether the key must be unique among rows.
  public let isUnique: Bool
  private let encode: @Sendable (Row) -> [RowKeyBytes]

  /// Creates a key that each row has at most once.
  ///
  /// - Parameters:
  ///   - name: 1 to 500 bytes of UTF-8 without NUL.
  ///   - unique: Whether the key must be unique among rows. A projection that puts a second row with the same
  ///     key fails.
  ///   - key: Computes the key from the row only. If it returns `nil`, the row has no such key.
  public init(_ name: String, unique: Bool = false, _ key: @escaping @Sendable (Row) -> Key?) {
    self.name = name
    isUnique = unique
    encode = { row in key(row).map { [RowKeyBytes($0)] } ?? [] }
  }

  /// Creates a key that a row has any number of times, for example one for each label, member or word.
  ///
  /// - Parameters:
  ///   - name: As in the other initializer.
  ///   - unique: As in the other initializer.
  ///   - keys: Computes the keys from the row only. Duplicates count once.
  public init(_ name: String, unique: Bool = false, each keys: @escaping @Sendable (Row) -> [Key]) {
    self.name = name
    isUnique = unique
    encode = { row in keys(row).map { RowKeyBytes($0) } }
  }

  /// Returns the keys by which a row is found.
  public func keys(of row: Row) -> [RowKeyBytes] { encode(row) }
}

extension RowKeyBytes {
  /// Encodes a key.
  init(_ key: some RowKey) {
    self.init()
    key.encode(into: &self)
  }
}
