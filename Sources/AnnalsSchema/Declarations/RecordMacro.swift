internal import AnnalsCoding

/// Makes a struct directly inside the braces of a schema a record: its values are stored as events, by shape.
///
/// Written for you: the conformance to ``ShapedRecord``, with a field for each stored property in the order of their
/// declaration, and for a `public` or `package` record without an initializer of its own one that takes every field.
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
/// A property's type is one with a shape (``StoredValue``), or `Codable` and `Sendable`, which is slower, and is written out. The
/// default value of a property counts where a record is made and never where one is read.
///
/// - Parameters:
///   - name: The name on disk, 1 to 500 bytes of UTF-8 without NUL, written out; by default the name of the struct.
///   - formerly: The names on disk that the record had in the version before, written out.
///   - reserved: Names of fields that are gone and may not come back, written out.
@attached(member, names: named(init))
@attached(
  extension, conformances: ShapedRecord, Record, StoredValue,
  names: named(recordName), named(formerNames), named(reservedNames), named(shape), named(init), named(encode)
)
public macro Record(_ name: String? = nil, formerly: [String] = [], reserved: [String] = []) =
  #externalMacro(module: "AnnalsMacros", type: "RecordMacro")
