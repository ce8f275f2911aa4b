internal import AnnalsLog

/// A projection folded in the transaction of each append, which it can refuse.
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
/// Rows and log always agree: as soon as an append returns, every process reads its rows. Each append pays
/// for the fold, so use it only for rules that must hold at every moment, such as unique names, limits and
/// balances.
///
/// A new projection comes into force when the store is activated: by an open with
/// ``StoreOptions/activating``, or by ``EventStore/activate(superseding:isRehearsal:)``. Until then the store
/// behaves as if the projection were absent: nothing is folded or refused, and programs with and without it
/// append. Once it is in force, programs without it can still read the store, but their appends fail with
/// `superseded`. In an empty log it is in force from the first open for writing. A raised version replaces
/// the version in force in the same way.
public protocol InlineProjection<Event>: Projection {}

/// The reason that an inline projection refuses an event, thrown by its ``Projection/apply(_:to:)``.
///
/// The append fails with code `rejected`, and nothing of the call is stored. Stored events cannot be refused:
/// if the store was written without the projection, the activation stops at such an event.
public struct Rejection: Error, CustomStringConvertible {
  /// The reason in words, which is reported to callers. Do not include a payload.
  public let reason: String

  /// Creates a rejection with a reason.
  public init(_ reason: String) {
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }
}
