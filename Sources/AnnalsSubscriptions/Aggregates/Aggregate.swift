public import AnnalsCoding
public import AnnalsSchema

/// The state of a stream, folded from its events, on which decisions are made.
///
/// ```swift
/// enum Account: Aggregate {
///   typealias Event = BankV2.Event
///   @Record struct State { var balance: Int = 0; var isClosed: Bool = false }
///
///   static let name = "account"
///   static let version = 1
///   static var initial: State { State() }
///   static func apply(_ entry: Entry<Event>, to state: inout State) {
///     switch entry.event {
///     case .deposited(let deposit): state.balance += deposit.amount
///     case .withdrawn(let withdrawal): state.balance -= withdrawal.amount
///     case .closed: state.isClosed = true
///     }
///   }
/// }
///
/// try await store.decide(Account.self, on: "account-7") { account in
///   guard account.balance >= 30 else { throw Refusal.tooLittle }
///   return [.withdrawn(.init(amount: 30))]
/// }
/// ```
///
/// The events are the only source of truth. Some states are kept alongside the log as snapshots, so that a
/// long stream need not be read from its beginning. A snapshot is used only if reading from the beginning
/// would certainly result in the same state. Raise ``version`` whenever you change ``apply(_:to:)``.
public protocol Aggregate<Event>: Sendable {
  /// The events of the plan's current version.
  associatedtype Event: SchemaEvent
  /// The state that the events add up to.
  associatedtype State: ShapedRecord
  /// The name under which snapshots are kept: 1 to 500 bytes of UTF-8 without NUL, unique among the
  /// aggregates of a store.
  static var name: String { get }
  /// The version of the fold, from 1.
  static var version: Int { get }
  /// The state of a stream without events.
  static var initial: State { get }
  /// Folds the next event of the stream into the state. It must depend on nothing else: no clock, no
  /// randomness, no store.
  static func apply(_ entry: Entry<Event>, to state: inout State) throws
  /// The number of entries after which a snapshot is worth keeping, from 1; `nil` for never. The default is
  /// 100.
  static var snapshotInterval: Int? { get }
}

extension Aggregate {
  /// 100.
  public static var snapshotInterval: Int? { 100 }
}

/// The state of a stream, as of one of its entries.
public struct Loaded<A: Aggregate>: Sendable {
  /// The state that the events of the stream add up to.
  public let state: A.State
  /// The revision of the newest entry included in the state; `nil` for a stream without entries.
  public let revision: Revision?
  /// The number of stored entries that were folded. It is less than the length of the stream if a snapshot
  /// was used.
  public let folded: Int

  /// The expectation under which an append may rely on the state.
  public var expectation: Expectation { revision.map { .revision($0) } ?? .noStream }
}
