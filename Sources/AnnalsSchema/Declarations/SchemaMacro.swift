public import AnnalsCoding

/// Makes an enum without cases one version of the shapes of all events.
///
/// Each struct directly inside the braces that is marked `@Record`, or declared `: Record` or `: TreeRecord`,
/// becomes a case of `Event`. Each typealias also becomes a case, and must read `X.SameName`. The macro
/// writes `version`, `Event` with `Event.Cases` (whose key paths name records in rules), and the conformance
/// to ``VersionedSchema``.
///
/// ```swift
/// @Schema(2, 0, 0) enum OrdersV2 {
///   typealias Shipped = OrdersV1.Shipped                                  // carried unchanged
///   @Record struct Placed { var total: Int; var currency: String }
/// }
/// ```
///
/// - Parameters:
///   - major: The first number of the version, as a literal.
///   - minor: The second number of the version, as a literal.
///   - patch: The third number of the version, as a literal.
///   - stability: Written out: `.draft` while the shapes may still change; `.bridge` if programs of the
///     previous version must be able to live with events of this one.
@attached(member, names: named(version), named(stability), named(Event))
@attached(extension, conformances: VersionedSchema, names: named(carries))
public macro Schema(
  _ major: UInt32, _ minor: UInt32, _ patch: UInt32, _ stability: SchemaStability = .released
) = #externalMacro(module: "AnnalsMacros", type: "SchemaMacro")
