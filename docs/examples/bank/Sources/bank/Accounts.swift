import Annals

@Schema(1, 0, 0) enum BankV1 {
  @Record struct Opened { var owner: String }
  @Record struct Deposited { var cents: Int }
  @Record struct Withdrawn { var cents: Int }
  @Record struct Sent {
    var cents: Int
    var to: String
  }
  @Record struct Received {
    var cents: Int
    var from: String
  }
}

enum BankPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<BankV1, BankV1> {}
}

/// What a decision needs to know of an account: folded from its stream.
enum Account: Aggregate {
  typealias Event = BankV1.Event
  @Record struct State {
    var isOpen: Bool = false
    var cents: Int = 0
  }

  static let name = "account"
  static let version = 1
  static var initial: State { State() }

  static func apply(_ entry: Entry<Event>, to state: inout State) {
    switch entry.event {
    case .opened: state.isOpen = true
    case .deposited(let deposit): state.cents += deposit.cents
    case .withdrawn(let withdrawal): state.cents -= withdrawal.cents
    case .sent(let transfer): state.cents -= transfer.cents
    case .received(let transfer): state.cents += transfer.cents
    }
  }
}

/// The rule that no program can break: a balance is never negative, and an owner has one account.
///
/// It is folded in the transaction of each append, and refuses the append.
enum Balances: InlineProjection {
  typealias Event = BankV1.Event
  @Record struct Balance: ProjectionRow {
    var account: String
    var owner: String
    var cents: Int

    var key: String { account }
    static let byOwner = SecondaryKey<Balance, String>("owner", unique: true) { $0.owner }
    static var secondaryKeys: [any DeclaredKey<Balance>] { [byOwner] }
  }

  static let name = "balances"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Balance.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let change: Int
    switch entry.event {
    case .opened(let opened):
      return try rows.put(Balance(account: entry.stream.text, owner: opened.owner, cents: 0))
    case .deposited(let deposit): change = deposit.cents
    case .withdrawn(let withdrawal): change = -withdrawal.cents
    case .sent(let transfer): change = -transfer.cents
    case .received(let transfer): change = transfer.cents
    }
    guard var balance = try rows.get(Balance.self, entry.stream.text) else {
      throw Rejection("the account is not open")
    }
    balance.cents += change
    guard balance.cents >= 0 else { throw Rejection("the balance would be \(balance.cents) cents") }
    try rows.put(balance)
  }
}
