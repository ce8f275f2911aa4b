@Schema(2, 0, 0) enum BankV2 {
  @Record struct Deposited { var amount: Int }
  @Record struct Withdrawn { var amount: Int }
  @Record struct Closed {}
}
enum BankPlan: SchemaMigrationPlan { static var stages: MigrationChain<BankV2, BankV2> {} }
enum Refusal: Error { case tooLittle }
enum Account: Aggregate {
  typealias Event = BankV2.Event
  @Record struct State { var balance: Int = 0 }
  static let name = "account"
  static let version = 1
  static var initial: State { State() }
  static func apply(_ entry: Entry<Event>, to state: inout State) {}
}
let store = try EventStore(at: URL(filePath: "bank.annals"), plan: BankPlan.self)
let (from, to): (StreamName, StreamName) = ("account-7", "account-9")
