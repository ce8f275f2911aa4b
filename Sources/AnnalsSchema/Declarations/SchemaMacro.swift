internal import AnnalsCoding

/// Makes an enum without cases one version of the shapes of all events.
///
/// Every struct directly inside the braces that is marked `@Record` or says `: Record` or `: TreeRecord`, and every typealias
/// there, which must read `X.SameName`, becomes a case of `Event`. Written for you: `version`, `Event` with `Event.Cases`
/// (what rules name by key path), and the conformance to ``VersionedSchema``.
///
/// ```swift
/// @Schema(2, 0, 0) enum OrdersV2 {
///   typealias Shipped = OrdersV1.Shipped                                  // carried unchanged
///   @Record struct Placed { var total: Int; var currency: String }
/// }
/// ```
///
/// - Parameters:
///   - major: The first number of the version, written out.
///   - minor: The second number of the version, written out.
///   - patch: The third number of the version, written out.
///   - stability: Written out: `.draft` while the shapes may still change, `.bridge` where programs of the version before must live with what is written.
@attached(member, names: named(version), named(stability), named(Event))
@attached(extension, conformances: VersionedSchema, names: named(carries))
public macro Schema(
  _ major: UInt32, _ minor: UInt32, _ patch: UInt32, _ stability: SchemaStability = .released
) = #externalMacro(module: "AnnalsMacros", type: "SchemaMacro")
