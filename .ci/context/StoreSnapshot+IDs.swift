@Schema(1, 0, 0) enum AccountsV1 { @Record struct Deposited { var amount: Int } }
enum AccountPlan: SchemaMigrationPlan { static var stages: MigrationChain<AccountsV1, AccountsV1> {} }
func find(_ request: UUID, in store: EventStore<AccountPlan>) throws {
// here
}
