internal import AnnalsCoding
internal import AnnalsShapes

/// The conversion of records of one case to the older version, for programs that read that version.
struct DowncastRule<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// The outline of the rule, without its types.
  let outline: DowncastOutline
  /// Converts a payload of the newer version to a record of the older version.
  let lower: LoweringStep
}

/// A downcast without its types.
package struct DowncastOutline: Sendable {
  /// The number of the case of the newer version.
  package let caseIndex: Int
  /// The number of the case of the older version; `nil` if the body chooses it for each record.
  let target: Int?
  /// The numbers of the fields that may come back different; `nil` for a property that is no stored field.
  var losing: [Int?] = []
}

/// Converts a payload of a newer version to the older one; `nil` if that version cannot express it.
typealias LoweringStep = @Sendable (_ payload: [UInt8]) throws -> LoweredRecord?

/// A record of an older version, encoded.
struct LoweredRecord: Sendable {
  /// The number of its case in the older schema.
  let caseIndex: Int
  /// Its payload.
  let payload: [UInt8]
}

/// Declares how records of a bridge version are stored for programs of the previous version.
///
/// A downcast is needed if those programs cannot read the newer record as their own and no adjustment of the
/// stage is reversible. It is used until the bridge is activated; after that, records are stored in their own
/// version.
///
/// An appended record reads back equal, or the append fails with code `unrepresentable` and stores nothing.
/// Before a record is stored, the stage reads the result of the downcast. It must read one record of the same
/// type, with the same value in every field that `losing` does not name. In this check the stage's rule
/// receives position 1 and revision 0, because the real ones are not known yet.
///
/// ```swift
/// Downcast(\.weightLogged, to: \.weightLogged, losing: \.kilograms, \.note) { new in
///   .init(pounds: new.kilograms / 0.45359237)
/// }
/// ```
///
/// - Parameters:
///   - path: The record of the newer version.
///   - target: The record of the older version.
///   - fields: The fields that the older version lacks or rounds. Their values may read back differently
///     until the bridge is activated.
///   - body: Makes the older record. It must be pure. If it throws, the append fails with code
///     `unrepresentable` and stores nothing.
public func Downcast<From, To, Context, New, Old>(
  _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
  losing fields: any Sendable & PartialKeyPath<New>..., body: @escaping @Sendable (New) throws -> Old
) -> Rule<From, To, Context> {
  Rule(DowncastRule(path, to: target, losing: fields, body))
}

/// Declares how records of a bridge version are stored as any event of the previous version.
///
/// As with `to:`, an appended record reads back equal except for the fields that `losing` names, or the
/// append fails.
///
/// ```swift
/// Downcast(\.weightLogged) { new in new.kilograms < 1000 ? .weightLogged(.init(kilograms: new.kilograms)) : nil }
/// ```
///
/// - Parameters:
///   - path: The record of the newer version.
///   - fields: The fields that the older version lacks or rounds. Their values may read back differently
///     until the bridge is activated.
///   - body: Makes the older event; `nil` for a record that the older version cannot express. It must be
///     pure. If it returns `nil` or throws, the append fails with code `unrepresentable` and stores nothing.
public func Downcast<From, To, Context, New>(
  _ path: RecordPath<To, New>, losing fields: any Sendable & PartialKeyPath<New>...,
  body: @escaping @Sendable (New) throws -> From.Event?
) -> Rule<From, To, Context> {
  Rule(DowncastRule(path, losing: fields, body))
}

/// Declares how records of a bridge version are stored for programs of the previous version, in a lightweight
/// stage.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - target: The record of the older version.
///   - fields: The fields that the older version lacks or rounds. Their values may read back differently
///     until the bridge is activated.
///   - body: Makes the older record. It must be pure. If it throws, the append fails with code
///     `unrepresentable` and stores nothing.
public func Downcast<From, To, New, Old>(
  _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
  losing fields: any Sendable & PartialKeyPath<New>..., body: @escaping @Sendable (New) throws -> Old
) -> Adjustment<From, To> {
  Adjustment(DowncastRule(path, to: target, losing: fields, body))
}

/// Declares how records of a bridge version are stored as any event of the previous version, in a lightweight
/// stage.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - fields: The fields that the older version lacks or rounds. Their values may read back differently
///     until the bridge is activated.
///   - body: Makes the older event; `nil` for a record that the older version cannot express. It must be
///     pure. If it returns `nil` or throws, the append fails with code `unrepresentable` and stores nothing.
public func Downcast<From, To, New>(
  _ path: RecordPath<To, New>, losing fields: any Sendable & PartialKeyPath<New>...,
  body: @escaping @Sendable (New) throws -> From.Event?
) -> Adjustment<From, To> {
  Adjustment(DowncastRule(path, losing: fields, body))
}

extension DowncastRule {
  fileprivate init<New: Record, Old: Record>(
    _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
    losing fields: [any Sendable & PartialKeyPath<New>],
    _ body: @escaping @Sendable (New) throws -> Old
  ) {
    let target = From.Event.cases[keyPath: target].index
    let outline = DowncastOutline(
      caseIndex: To.Event.cases[keyPath: path].index, target: target, losing: New.fieldNumbers(of: fields))
    self.init(outline: outline) { payload in
      var lowered: [UInt8] = []
      try body(New.decode(payload: payload.span)).encode(into: &lowered)
      return LoweredRecord(caseIndex: target, payload: lowered)
    }
  }

  fileprivate init<New: Record>(
    _ path: RecordPath<To, New>, losing fields: [any Sendable & PartialKeyPath<New>],
    _ body: @escaping @Sendable (New) throws -> From.Event?
  ) {
    let outline = DowncastOutline(
      caseIndex: To.Event.cases[keyPath: path].index, target: nil, losing: New.fieldNumbers(of: fields))
    self.init(outline: outline) { payload in
      guard let event = try body(New.decode(payload: payload.span)) else { return nil }
      var lowered: [UInt8] = []
      try event.encode(into: &lowered)
      return LoweredRecord(caseIndex: event.caseIndex, payload: lowered)
    }
  }
}

extension Record {
  /// The numbers in the record's shape of the fields of some properties; `nil` for a property that is no
  /// stored field.
  fileprivate static func fieldNumbers(of properties: [any Sendable & PartialKeyPath<Self>]) -> [Int?] {
    properties.map { property in
      recordShape?.fields.firstIndex { field in
        field.path.map { $0 as AnyKeyPath == property as AnyKeyPath } ?? false
      }
    }
  }
}
