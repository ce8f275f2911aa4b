internal import AnnalsCoding

/// Describes a stored property of a `@Record` or `@Value`, or a case of a `@Value` enum: its name on disk,
/// and its use as a tag or as personal data.
///
/// ```swift
/// @Field("kg", originalName: "weight") var kilograms: Double
/// @Field(tag: "course") var courseID: String
/// @Field(personal: "customerID", erased: "unknown") var address: String
/// ```
///
/// - Parameters:
///   - name: The name on disk, a literal of 1 to 500 bytes of UTF-8 without NUL. The default is the
///     property's name.
///   - originalName: The field's name on disk in the previous version, if it differed. A case has none.
///   - tag: For a field of a record: the name, without `:`, of the tags that its value adds to each event.
///     The value's type is a ``TagValue``, or an optional, array or set of one, which adds none or several
///     tags.
///   - personal: For a field of a record: the property with the id of the person that the value belongs to.
///     The value is encrypted with that person's key, in stores opened with ``StoreOptions/keys``. The id is
///     a text, an integer, a `UUID` or `Data`.
///   - erased: The value that is read after the person's key was dropped. An optional field needs none,
///     because it reads as `nil`. The expression is used outside the braces of the schema.
@attached(peer)
public macro Field(
  _ name: String? = nil, originalName: String? = nil, tag: String? = nil, personal: String? = nil,
  erased: Any? = nil
) =
  #externalMacro(module: "AnnalsMacros", type: "FieldMacro")

/// Marks the case of a `@Value` enum that readers use for unknown cases. The case has no associated values.
@attached(peer)
public macro UnknownCase() = #externalMacro(module: "AnnalsMacros", type: "UnknownCaseMacro")
