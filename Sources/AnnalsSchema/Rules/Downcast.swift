internal import AnnalsCoding

/// How records of one case of a newer version are stored as ones of the older version, which programs of that one read.
struct DowncastRule<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// What the rule is without its types.
  let outline: DowncastOutline
  /// The record of the older version that a payload of the newer one becomes.
  let lower: LoweringStep
}

/// A downcast without its types.
package struct DowncastOutline: Sendable {
  /// The number of the case of the newer version.
  package let caseIndex: Int
  /// The number of the case of the older version; `nil` where that is said for each record.
  let target: Int?
  /// The numbers of the fields that may come back different; `nil` for what is no stored field.
  var losing: [Int?] = []
}

/// What a payload of a newer version is in the older one; `nil` where that has no way to say it.
typealias LoweringStep = @Sendable (_ payload: [UInt8]) throws -> LoweredRecord?

/// A record of an older version, encoded.
struct LoweredRecord: Sendable {
  /// The number of its case in the older schema.
  let caseIndex: Int
  /// Its payload.
  let payload: [UInt8]
}

/// Says how records of a bridge are stored for programs of the version before.
///
/// It is needed where those cannot read the newer record as their own, and where no adjustment of the stage can be turned around. It is used until the bridge is
/// activated; after that records are stored as what they are.
///
/// An append comes back equal, or fails with code `unrepresentable` and stores nothing. Before a record is
/// stored, the stage reads what the downcast made of it. That must be one record of the same type, with the
/// same value in every field that `losing` does not name. The stage's rule is given position 1 and revision
/// 0, because neither is known by then.
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
///   - fields: The fields that the older version cannot hold, or holds rounded. They may come back
///     different until the bridge is activated.
///   - body: The older record. It must be pure. Where it throws, the append fails with code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, Context, New, Old>(
  _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
  losing fields: any Sendable & PartialKeyPath<New>..., body: @escaping @Sendable (New) throws -> Old
) -> Rule<From, To, Context> {
  Rule(DowncastRule(path, to: target, losing: fields, body))
}

/// Says how records of a bridge are stored for programs of the version before, by any event of that one.
///
/// As with `to:`, an append comes back equal but for the fields that `losing` names, or fails.
///
/// ```swift
/// Downcast(\.weightLogged) { new in new.kilograms < 1000 ? .weightLogged(.init(kilograms: new.kilograms)) : nil }
/// ```
///
/// - Parameters:
///   - path: The record of the newer version.
///   - fields: The fields that the older version cannot hold, or holds rounded. They may come back
///     different until the bridge is activated.
///   - body: The older event; `nil` for a record that the older version has no way to say. It must be pure. For `nil`, and where it throws, the append fails with
///     code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, Context, New>(
  _ path: RecordPath<To, New>, losing fields: any Sendable & PartialKeyPath<New>...,
  body: @escaping @Sendable (New) throws -> From.Event?
) -> Rule<From, To, Context> {
  Rule(DowncastRule(path, losing: fields, body))
}

/// Says how records of a bridge are stored for programs of the version before, in a lightweight stage.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - target: The record of the older version.
///   - fields: The fields that the older version cannot hold, or holds rounded. They may come back
///     different until the bridge is activated.
///   - body: The older record. It must be pure. Where it throws, the append fails with code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, New, Old>(
  _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
  losing fields: any Sendable & PartialKeyPath<New>..., body: @escaping @Sendable (New) throws -> Old
) -> Adjustment<From, To> {
  Adjustment(DowncastRule(path, to: target, losing: fields, body))
}

/// Says how records of a bridge are stored for programs of the version before, by any event of that one, in a lightweight stage.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - fields: The fields that the older version cannot hold, or holds rounded. They may come back
///     different until the bridge is activated.
///   - body: The older event; `nil` for a record that the older version has no way to say. It must be pure. For `nil`, and where it throws, the append fails with
///     code `unrepresentable`, and nothing is stored.
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
  /// The numbers in the record's shape of the fields of some properties; `nil` for what is no stored field.
  fileprivate static func fieldNumbers(of properties: [any Sendable & PartialKeyPath<Self>]) -> [Int?] {
    properties.map { property in
      recordShape?.fields.firstIndex { field in
        field.path.map { $0 as AnyKeyPath == property as AnyKeyPath } ?? false
      }
    }
  }
}
