import AnnalsKeys
@Schema(1, 0, 0) enum ShopV1 {
  @Record struct Ordered {
    var customerID: String
    @Field(personal: "customerID") var phone: String?
  }
}
enum ShopPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShopV1, ShopV1> {}
}
func renew(_ keys: SubjectKeys, _ store: EventStore<ShopPlan>, at url: URL) async throws {
// here
}
