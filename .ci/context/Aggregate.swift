@Schema(2, 0, 0) enum BankV2 {
  @Record struct Deposited { var amount: Int }
  @Record struct Withdrawn { var amount: Int }
  @Record struct Closed {}
}
enum BankPlan: SchemaMigrationPlan { static var stages: MigrationChain<BankV2, BankV2> {} }
enum Refusal: Error { case tooLittle }
let store = try EventStore(at: URL(filePath: "bank.annals"), plan: BankPlan.self)
