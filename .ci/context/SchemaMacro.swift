@Schema(1, 0, 0) enum OrdersV1 { @Record struct Shipped { var parcel: String } }
