internal import AnnalsCoding

/// Makes a field of a projection's row a secondary key, by which rows are found and ordered.
///
/// ```swift
/// @Record struct Player: ProjectionRow {
///   var id: UUID
///   @Indexed var team: String?
///   @Indexed(unique: true) var email: String
///   @Indexed var labels: [String]
///   var key: UUID { id }
/// }
/// let red = try view.rows(RowQuery(Player.byTeam, .key("red")))
/// ```
///
/// It writes a constant called like the property, `byTeam`, and `@Record` lists the constants of a row in
/// `secondaryKeys`. The name of the key on disk is that of the field. A row without a value, nil, has no such
/// key. A row with an array or a set has a key for each element.
///
/// The property's type must be written out and be a key, or an optional, array or set of one. For a key that
/// is computed or has several parts, declare a `SecondaryKey` and list all keys in `secondaryKeys`.
///
/// - Parameter unique: Whether two rows may not have the same key, as a literal. A projection that puts a
///   second one fails.
@attached(peer, names: arbitrary)
public macro Indexed(unique: Bool = false) = #externalMacro(module: "AnnalsMacros", type: "IndexedMacro")
