internal import AnnalsCoding
public import AnnalsShapes

/// Sets the value that a new field has in older records, in a stage that has rules for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The new field.
///   - value: The field's value in every record of the older version.
public func Default<From, To, Context, New, Value: StoredValue>(
  _ path: RecordPath<To, New>, _ field: any Sendable & KeyPath<New, Value>, _ value: Value
) -> Rule<From, To, Context> {
  Rule(Default(path, field, value))
}

/// Sets the value that a new field inside an optional, an array, a dictionary or an enum has in older
/// records, in a stage that has rules for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The names on disk on the way to the new field.
///   - value: The field's value in every record of the older version.
public func Default<From, To, Context, New, Value: StoredValue>(
  _ path: RecordPath<To, New>, at field: any Sendable & KeyPath<FieldNames, FieldNames>, _ value: Value
) -> Rule<From, To, Context> {
  Rule(Default(path, at: field, value))
}

/// Wraps a single value in an array of one element, in a stage that has rules for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The field, which is now an array.
public func Wrap<From, To, Context, New, Element: StoredValue>(
  _ path: RecordPath<To, New>, _ field: any Sendable & KeyPath<New, [Element]>
) -> Rule<From, To, Context> {
  Rule(Wrap(path, field))
}

/// Moves fields of the record into a record inside it, in a stage that has rules for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The field that has the inner record.
public func Plunge<From, To, Context, New, Inner: StoredValue>(
  _ path: RecordPath<To, New>, into field: any Sendable & KeyPath<New, Inner>
) -> Rule<From, To, Context> {
  Rule(Plunge(path, into: field))
}

/// Moves a field out of a record inside the older record, in a stage that has rules for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The field.
///   - outer: The name on disk of the field that has the inner record.
public func Hoist<From, To, Context, New, Value: StoredValue>(
  _ path: RecordPath<To, New>, _ field: any Sendable & KeyPath<New, Value>, from outer: String
) -> Rule<From, To, Context> {
  Rule(Hoist(path, field, from: outer))
}

/// Declares that a removed field and a new field of the same type are two fields, in a stage that has rules
/// for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - old: The field that the older version has.
///   - new: The field that the newer version has.
public func Unrelated<From, To, Context, New>(
  _ path: RecordPath<To, New>, old: any Sendable & KeyPath<FieldNames, FieldNames>,
  new: any Sendable & KeyPath<FieldNames, FieldNames>
) -> Rule<From, To, Context> {
  Rule(Unrelated(path, old: old, new: new))
}

/// Declares that a field was removed and is not the same as a new field of the same type, in a stage that has
/// rules for other records.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The name on disk of the field that the older version has.
public func Remove<From, To, Context, New>(
  _ path: RecordPath<To, New>, _ field: String
) -> Rule<From, To, Context> {
  Rule(Remove(path, field))
}
