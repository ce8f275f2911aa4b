public import AnnalsCoding
public import AnnalsSchema

/// What the events of one stream come to: the state that decides what may happen next.
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
/// The events alone are the truth. Now and then the state is kept beside the log, so that a long stream need not be read from its beginning; such a snapshot is used only
/// where it is certain that reading from the beginning would give the same, and is otherwise passed over. Whoever changes what ``apply(_:to:)`` does raises ``version``.
public protocol Aggregate<Event>: Sendable {
  /// The events of the plan's current version.
  associatedtype Event: SchemaEvent
  /// What the events come to.
  associatedtype State: ShapedRecord
  /// The name under which snapshots are kept: 1 to 500 bytes of UTF-8 without NUL, the same for no two aggregates of a store.
  static var name: String { get }
  /// The version of the fold, from 1.
  static var version: Int { get }
  /// The state of a stream without events.
  static var initial: State { get }
  /// Folds the next event of the stream into the state, and knows nothing else: no clock, no randomness, no store.
  static func apply(_ entry: Entry<Event>, to state: inout State) throws
  /// After how many entries a snapshot is worth keeping, from 1; `nil` for never. 100 by default.
  static var snapshotInterval: Int? { get }
}

extension Aggregate {
  /// 100.
  public static var snapshotInterval: Int? { 100 }
}

/// The state of a stream, as of one of its entries.
public struct Loaded<A: Aggregate>: Sendable {
  /// What the events of the stream come to.
  public let state: A.State
  /// The revision of the newest entry that is in it; `nil` for a stream without entries.
  public let revision: Revision?
  /// How many stored entries were folded: fewer than there are where a snapshot was used.
  public let folded: Int

  /// What an append must expect for the state to be still true.
  public var expectation: Expectation { revision.map { .revision($0) } ?? .noStream }
}
