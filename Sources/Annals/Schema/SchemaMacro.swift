/// Makes an enum without cases one version of the shapes of all events.
///
/// Every struct directly inside the braces that says `: Record`, and every typealias there, which must read
/// `X.SameName`, becomes a case of `Event`. Written for you: `version`, `Event` with `Event.Cases` (what rules name by
/// key path), and the conformance to ``VersionedSchema``.
///
/// ```swift
/// @Schema(2, 0, 0) enum OrdersV2 {
///   typealias Shipped = OrdersV1.Shipped                                  // carried unchanged
///   struct Placed: Record, Codable { var total: Int; var currency: String }
/// }
/// ```
///
/// - Parameters:
///   - major: The first number of the version, written out.
///   - minor: The second number of the version, written out.
///   - patch: The third number of the version, written out.
@attached(member, names: named(version), named(Event))
@attached(extension, conformances: VersionedSchema, names: named(carries))
public macro Schema(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) =
  #externalMacro(module: "AnnalsMacros", type: "SchemaMacro")
