// from OrderStore
@Sendable func mail(_ event: OrdersV2.Event) async throws {}
