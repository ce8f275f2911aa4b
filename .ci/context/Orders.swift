@Schema(1, 0, 0) enum OrdersV1 {
  @Record struct Placed { var total: Int; var lines: [String] }
  @Record struct Shipped { var parcel: String }
}
@Schema(2, 0, 0) enum OrdersV2 {
  typealias Shipped = OrdersV1.Shipped
  @Record struct Placed { var total: Int; var currency: String }
  @Record struct LineAdded { var text: String }
  @Record struct OrderPlaced { var total: Int }
  @Record struct Refunded { var total: Int }
}
