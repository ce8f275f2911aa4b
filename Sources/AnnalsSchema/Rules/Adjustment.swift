internal import AnnalsCoding
public import AnnalsShapes

/// A declaration about one field of a record without a rule, made by `Default`, `Wrap`, `Plunge`, `Hoist`,
/// `Unrelated` or `Remove`, or a conversion to the older version, made by `Downcast`.
public struct Adjustment<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// The declaration about a field, without its types; `nil` for a downcast.
  let outline: AdjustmentOutline?
  /// The conversion of records to the older version; `nil` for all but a downcast.
  let downcast: DowncastRule<From, To>?

  init(_ caseIndex: Int, _ word: String, _ adjustment: FieldAdjustment?) {
    outline = AdjustmentOutline(caseIndex: caseIndex, word: word, adjustment: adjustment)
    downcast = nil
  }

  init(_ downcast: DowncastRule<From, To>) {
    outline = nil
    self.downcast = downcast
  }
}

/// An adjustment without its types.
package struct AdjustmentOutline: Sendable {
  /// The number of the record's case in the newer schema.
  let caseIndex: Int
  /// The name with which it is written, for messages.
  let word: String
  /// The adjustment; `nil` if its key path names no field or its value cannot be stored.
  let adjustment: FieldAdjustment?
}

extension Record {
  /// The name on disk of a property, or the names on the path to a property of a struct inside the record.
  static func fieldName(of property: any Sendable & AnyKeyPath) -> String? {
    recordShape?.path(of: property)
  }
}

/// Sets the value that a new field has in older records.
///
/// The stage is the only source of the value: the initial value of a property is never used for a stored one.
///
/// The field may be inside a struct of the record: `Default(\.placed, \.address.zip, "")`. For a field inside
/// an optional, an array, a dictionary or an enum, use `Default(_:at:_:)`.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The new field.
///   - value: The field's value in every record of the older version.
public func Default<From, To, New, Value: StoredValue>(
  _ path: RecordPath<To, New>, _ field: any Sendable & KeyPath<New, Value>, _ value: Value
) -> Adjustment<From, To> {
  Adjustment(
    To.Event.cases[keyPath: path].index, "Default", .constant(at: New.fieldName(of: field), value))
}

/// Sets the value that a new field has in older records, where a Swift key path cannot reach the field:
/// inside an optional, an array, a dictionary or an enum.
///
/// ```swift
/// Default(\.placed, at: \.lines.discount, 0)      // in every element of `lines`
/// ```
///
/// The compiler accepts any name; the plan's check refuses a path that leads to no new field, and a value
/// whose type is not that of the field.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The names on disk on the way to the new field, including the name of an enum's case. Arrays,
///     dictionaries and optionals add no name.
///   - value: The field's value in every record of the older version.
public func Default<From, To, New, Value: StoredValue>(
  _ path: RecordPath<To, New>, at field: any Sendable & KeyPath<FieldNames, FieldNames>, _ value: Value
) -> Adjustment<From, To> {
  Adjustment(
    To.Event.cases[keyPath: path].index, "Default", .constant(at: FieldNames.path(field), value))
}

/// Wraps a single value in an array of one element.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The field, which is now an array.
public func Wrap<From, To, New, Element: StoredValue>(
  _ path: RecordPath<To, New>, _ field: any Sendable & KeyPath<New, [Element]>
) -> Adjustment<From, To> {
  Adjustment(
    To.Event.cases[keyPath: path].index, "Wrap", New.fieldName(of: field).map { .wrap($0) })
}

/// Moves fields of the record into a record inside it.
///
/// The fields are found by their names, or original names, in the inner record.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The field that has the inner record.
public func Plunge<From, To, New, Inner: StoredValue>(
  _ path: RecordPath<To, New>, into field: any Sendable & KeyPath<New, Inner>
) -> Adjustment<From, To> {
  Adjustment(
    To.Event.cases[keyPath: path].index, "Plunge", New.fieldName(of: field).map { .plunge($0) })
}

/// Moves a field out of a record inside the older record.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The field, which the inner record has under the same name or its original name.
///   - outer: The name on disk of the older record's field that has the inner record.
public func Hoist<From, To, New, Value: StoredValue>(
  _ path: RecordPath<To, New>, _ field: any Sendable & KeyPath<New, Value>, from outer: String
) -> Adjustment<From, To> {
  Adjustment(
    To.Event.cases[keyPath: path].index, "Hoist",
    New.fieldName(of: field).map { .hoist($0, from: outer) })
}

/// The names on the path to a field, written as a key path: `\.name`, or `\.place.name` inside a nested
/// record.
///
/// The compiler accepts any name; the plan's check refuses names of fields that do not exist.
@dynamicMemberLookup
public struct FieldNames: Sendable {
  let names: [String]

  /// A field inside this one.
  public subscript(dynamicMember name: String) -> FieldNames { FieldNames(names: names + [name]) }

  static func path(_ path: KeyPath<FieldNames, FieldNames>) -> String {
    FieldNames(names: [])[keyPath: path].names.joined(separator: ".")
  }
}

/// Declares that a removed field and a new field of the same type are two fields, not one that was renamed.
///
/// The stored value of the older field is no longer read. Fields are named as on disk.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - old: The field that the older version has.
///   - new: The field that the newer version has.
public func Unrelated<From, To, New>(
  _ path: RecordPath<To, New>, old: any Sendable & KeyPath<FieldNames, FieldNames>,
  new: any Sendable & KeyPath<FieldNames, FieldNames>
) -> Adjustment<From, To> {
  Adjustment(
    To.Event.cases[keyPath: path].index, "Unrelated",
    .unrelated(old: FieldNames.path(old), new: FieldNames.path(new)))
}

/// Declares that a field was removed and is not the same as any new field of the same type.
///
/// For a single new field, use `Unrelated(_:old:new:)`.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - field: The name on disk of the field that the older version has.
public func Remove<From, To, New>(
  _ path: RecordPath<To, New>, _ field: String
) -> Adjustment<From, To> {
  Adjustment(To.Event.cases[keyPath: path].index, "Remove", .acknowledge(removed: field))
}
