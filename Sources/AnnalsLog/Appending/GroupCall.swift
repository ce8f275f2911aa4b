/// A call to append, and how durable it must be.
struct GroupCall: Sendable {
  let request: AppendRequest
  let durability: StoreOptions.Durability
}
