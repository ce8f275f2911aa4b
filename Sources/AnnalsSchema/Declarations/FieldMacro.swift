internal import AnnalsCoding

/// Says what a stored property of a `@Record` or `@Value`, or a case of a `@Value` enum, is called on disk.
///
/// ```swift
/// @Field("kg", originalName: "weight") var kilograms: Double
/// ```
///
/// - Parameters:
///   - name: The name on disk, 1 to 500 bytes of UTF-8 without NUL, written out; by default the property's name.
///   - originalName: The name on disk that the field had in the version before, where that was another. A case has none.
@attached(peer)
public macro Field(_ name: String? = nil, originalName: String? = nil) =
  #externalMacro(module: "AnnalsMacros", type: "FieldMacro")

/// Marks the case of a `@Value` enum that a reader takes for cases that it does not know; it holds nothing.
@attached(peer)
public macro UnknownCase() = #externalMacro(module: "AnnalsMacros", type: "UnknownCaseMacro")
