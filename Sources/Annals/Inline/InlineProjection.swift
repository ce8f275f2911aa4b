/// Tables that are folded in the transaction of each append, which they may refuse.
///
/// ```swift
/// enum Names: InlineProjection {
///   typealias Event = AccountsV1.Event
///   @Record struct Name: ProjectionRow {
///     var name: String
///     var account: String
///     var key: String { name }
///   }
///
///   static let name = "names"
///   static let version = 1
///   static var tables: [ProjectionTable] { [.rows(Name.self)] }
///
///   static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
///     guard case .registered(let event) = entry.event else { return }
///     guard try rows.get(Name.self, event.name) == nil else { throw Rejection("the name is taken") }
///     try rows.put(Name(name: event.name, account: entry.stream.text))
///   }
/// }
/// ```
///
/// Rows and log always agree: who has appended reads the rows of it at once, in every process. Each append pays for the fold, so that only what must hold at every
/// moment belongs here: names that are taken, limits, balances.
public protocol InlineProjection<Event>: Projection {
  /// Whether only programs that know the projection, in this version, may append; by default they alone may.
  ///
  /// Programs that do not know it read the store in either case. Where it is not mandatory they append without it, nothing that they append is refused, and the next
  /// program that knows it folds what they left: before its own call up to 50,000 entries, which fails with `requiresActivation` beyond, and as it opens the store any number.
  static var isMandatory: Bool { get }
}

extension InlineProjection {
  /// They alone may.
  public static var isMandatory: Bool { true }
}

/// Why an inline projection refuses an event, thrown by its ``Projection/apply(_:to:)``.
///
/// The append fails with code `rejected`, and nothing of the call is stored. What was appended before is not refused any more: where the store was written without the
/// projection, the fold stops at such an event.
public struct Rejection: Error, CustomStringConvertible {
  /// The reason in words, which callers are told; no payload belongs into it.
  public let reason: String

  /// A rejection for this reason.
  public init(_ reason: String) {
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }
}
