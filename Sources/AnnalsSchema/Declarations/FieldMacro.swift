internal import AnnalsCoding

/// Sets the name on disk of a stored property of a `@Record` or `@Value`, or of a case of a `@Value` enum.
///
/// ```swift
/// @Field("kg", originalName: "weight") var kilograms: Double
/// ```
///
/// - Parameters:
///   - name: The name on disk, a literal of 1 to 500 bytes of UTF-8 without NUL. The default is the
///     property's name.
///   - originalName: The field's name on disk in the previous version, if it differed. A case has none.
@attached(peer)
public macro Field(_ name: String? = nil, originalName: String? = nil) =
  #externalMacro(module: "AnnalsMacros", type: "FieldMacro")

/// Marks the case of a `@Value` enum that readers use for unknown cases. The case has no associated values.
@attached(peer)
public macro UnknownCase() = #externalMacro(module: "AnnalsMacros", type: "UnknownCaseMacro")
