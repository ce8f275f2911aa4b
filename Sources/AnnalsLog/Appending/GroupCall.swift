/// A call to append, and how durable it must be.
///
/// It is a class, because a call passes through several hands, and a request has many lists to retain.
package final class GroupCall: Sendable {
  package let request: AppendRequest
  let durability: StoreOptions.Durability
  /// Where the memory of the call goes at its end; `nil` if it is not worth keeping.
  private let spare: SpareLists?

  /// A call as a store with these options makes it. A change of the log itself is always on disk at its end.
  init(_ request: consuming AppendRequest, _ options: StoreOptions, _ spare: SpareLists) {
    durability = request.change == nil ? options.durability : .full
    self.spare = request.items.count > SpareLists.large ? spare : nil
    self.request = request
  }

  /// A call that a shared log has put in order.
  package init(_ request: consuming AppendRequest, _ durability: StoreOptions.Durability) {
    self.request = request
    self.durability = durability
    spare = nil
  }

  deinit { spare?.keep(request.lists) }
}
