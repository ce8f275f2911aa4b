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
/// It writes a constant named after the property, such as `byTeam`, and `@Record` lists the constants of a
/// row in `secondaryKeys`. On disk, the key has the name of the field. A row whose value is nil has no such
/// key; a row with an array or a set has a key for each element.
///
/// The property's type must be written out and be a key, or an optional, array or set of one. For a key that
/// is computed or has several parts, declare a `SecondaryKey` and list all keys in `secondaryKeys`.
///
/// - Parameter unique: Whether the key must be unique among rows, as a literal. A projection fails if it puts
///   a second row with the same key.
@attached(peer, names: arbitrary)
public macro Indexed(unique: Bool = false) = #externalMacro(module: "AnnalsMacros", type: "IndexedMacro")
