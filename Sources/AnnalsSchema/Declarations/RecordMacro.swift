internal import AnnalsCoding
internal import AnnalsShapes

/// Makes a struct directly inside the braces of a schema a record: its values are stored as events, by shape.
///
/// The macro writes the conformance to ``ShapedRecord``, with a field for each stored property in the order
/// of their declaration. For a `public` or `package` record without an initializer, it also writes one that
/// takes every field.
///
/// ```swift
/// @Schema(1, 0, 0) enum FilmsV1 {
///   @Record(formerly: ["PixarFilm"], reserved: ["studio"]) struct Film {
///     var title: String
///     @Field(originalName: "length") var minutes: Int
///   }
/// }
/// ```
///
/// A property's type must be written out. It either has a shape (``StoredValue``) or is `Codable` and
/// `Sendable`, which is slower. The default value of a property is used when a record is created, never when
/// one is read.
///
/// - Parameters:
///   - name: The name on disk, a literal of 1 to 500 bytes of UTF-8 without NUL. The default is the name of
///     the struct.
///   - formerly: The names on disk that the record had in the previous version, as literals.
///   - reserved: Names of removed fields that may not be used again, as literals.
@attached(member, names: named(init))
@attached(
  extension, conformances: ShapedRecord, Record, StoredValue,
  names: named(recordName), named(formerNames), named(reservedNames), named(hasTags), named(tagNames),
  named(tags), named(secondaryKeys), named(shape), named(init), named(encode)
)
public macro Record(_ name: String? = nil, formerly: [String] = [], reserved: [String] = []) =
  #externalMacro(module: "AnnalsMacros", type: "RecordMacro")
