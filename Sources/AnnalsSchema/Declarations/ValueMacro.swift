internal import AnnalsCoding
internal import AnnalsShapes

/// Makes a struct or an enum a value with a shape, which can be the type of a field of a record.
///
/// The macro writes the conformance to ``StoredValue``. For a `public` or `package` struct without an
/// initializer, it also writes one that takes every field. A struct is stored as its fields. An enum is
/// stored as the number of its case, counted from 0 in the order of declaration, and the associated values of
/// the case.
///
/// ```swift
/// @Value enum Parcel {
///   case letter
///   case box(grams: Int, fragile: Bool)
///   @UnknownCase case other
/// }
/// ```
///
/// The name of a case on disk is its name, or its raw value in an enum of texts.
@attached(member, names: named(init))
@attached(extension, conformances: StoredValue, names: named(shape), named(init), named(encode))
public macro Value() = #externalMacro(module: "AnnalsMacros", type: "ValueMacro")
