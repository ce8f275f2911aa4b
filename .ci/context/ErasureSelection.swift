import AnnalsCommand
@Schema(1, 0, 0) enum ShopV1 {
  @Record struct Ordered {
    var customer: String
  }
}
enum ShopPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShopV1, ShopV1> {}
}
