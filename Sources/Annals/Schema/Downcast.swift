/// How records of one case of a newer version are stored as ones of the older version, which programs of that one read.
struct DowncastRule<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// What the rule is without its types.
  let outline: DowncastOutline
  /// The record of the older version that a payload of the newer one becomes.
  let lower: LoweringStep
}

/// A downcast without its types.
struct DowncastOutline: Sendable {
  /// The number of the case of the newer version.
  let caseIndex: Int
  /// The number of the case of the older version; `nil` where that is said for each record.
  let target: Int?
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
/// What it gives is read again by the stage before it is stored: where that makes no event of it, or throws, no newer program would ever see it, and the append fails
/// as where the downcast throws. Position and revision are not known by then; the rule is given 1 and 0.
///
/// ```swift
/// Downcast(\.weightLogged, to: \.weightLogged) { new in .init(pounds: new.kilograms / 0.45359237) }
/// ```
///
/// - Parameters:
///   - path: The record of the newer version.
///   - target: The record of the older version.
///   - body: The older record. It must be pure. Where it throws, the append fails with code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, Context, New, Old>(
  _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
  _ body: @escaping @Sendable (New) throws -> Old
) -> Rule<From, To, Context> {
  Rule(DowncastRule(path, to: target, body))
}

/// Says how records of a bridge are stored for programs of the version before, by any event of that one.
///
/// ```swift
/// Downcast(\.weightLogged) { new in new.kilograms < 1000 ? .weightLogged(.init(kilograms: new.kilograms)) : nil }
/// ```
///
/// - Parameters:
///   - path: The record of the newer version.
///   - body: The older event; `nil` for a record that the older version has no way to say. It must be pure. For `nil`, and where it throws, the append fails with
///     code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, Context, New>(
  _ path: RecordPath<To, New>, _ body: @escaping @Sendable (New) throws -> From.Event?
) -> Rule<From, To, Context> {
  Rule(DowncastRule(path, body))
}

/// Says how records of a bridge are stored for programs of the version before, in a lightweight stage.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - target: The record of the older version.
///   - body: The older record. It must be pure. Where it throws, the append fails with code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, New, Old>(
  _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
  _ body: @escaping @Sendable (New) throws -> Old
) -> Adjustment<From, To> {
  Adjustment(DowncastRule(path, to: target, body))
}

/// Says how records of a bridge are stored for programs of the version before, by any event of that one, in a lightweight stage.
///
/// - Parameters:
///   - path: The record of the newer version.
///   - body: The older event; `nil` for a record that the older version has no way to say. It must be pure. For `nil`, and where it throws, the append fails with
///     code `unrepresentable`, and nothing is stored.
public func Downcast<From, To, New>(
  _ path: RecordPath<To, New>, _ body: @escaping @Sendable (New) throws -> From.Event?
) -> Adjustment<From, To> {
  Adjustment(DowncastRule(path, body))
}

extension DowncastRule {
  fileprivate init<New: Record, Old: Record>(
    _ path: RecordPath<To, New>, to target: RecordPath<From, Old>,
    _ body: @escaping @Sendable (New) throws -> Old
  ) {
    let target = From.Event.cases[keyPath: target].index
    let outline = DowncastOutline(caseIndex: To.Event.cases[keyPath: path].index, target: target)
    self.init(outline: outline) { payload in
      var lowered: [UInt8] = []
      try body(New.decode(payload: payload.span)).encode(into: &lowered)
      return LoweredRecord(caseIndex: target, payload: lowered)
    }
  }

  fileprivate init<New: Record>(
    _ path: RecordPath<To, New>, _ body: @escaping @Sendable (New) throws -> From.Event?
  ) {
    let outline = DowncastOutline(caseIndex: To.Event.cases[keyPath: path].index, target: nil)
    self.init(outline: outline) { payload in
      guard let event = try body(New.decode(payload: payload.span)) else { return nil }
      var lowered: [UInt8] = []
      try event.encode(into: &lowered)
      return LoweredRecord(caseIndex: event.caseIndex, payload: lowered)
    }
  }
}
