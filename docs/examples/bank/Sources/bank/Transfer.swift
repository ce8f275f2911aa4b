import Annals

/// Why a transfer is refused.
enum TransferRefusal: Error {
  case notOpen(StreamName)
  case tooLittle(cents: Int)
  case tooBusy
}

/// The decision, a pure function of two accounts. It gives the events of both, or refuses.
func transfer(
  _ cents: Int, from sender: (name: StreamName, state: Account.State),
  to receiver: (name: StreamName, state: Account.State)
) throws(TransferRefusal) -> (sent: BankV1.Event, received: BankV1.Event) {
  for account in [sender, receiver] where !account.state.isOpen { throw .notOpen(account.name) }
  guard sender.state.cents >= cents else { throw .tooLittle(cents: sender.state.cents) }
  return (
    .sent(.init(cents: cents, to: receiver.name.text)), .received(.init(cents: cents, from: sender.name.text))
  )
}

/// Moves money between two accounts in one append: both sides are stored, or none.
///
/// The append expects that neither account has changed since it was loaded. If one has, the decision is made
/// again.
func transfer(
  _ cents: Int, from sender: StreamName, to receiver: StreamName, in store: EventStore<BankPlan>
) async throws {
  var attempts = 0
  while try await !isTransferred(cents, from: sender, to: receiver, in: store) {
    attempts += 1
    if attempts == 20 { throw TransferRefusal.tooBusy }
  }
}

/// Tries once.
///
/// - Returns: Whether the transfer is stored. It is not if another append to one of the accounts came first.
private func isTransferred(
  _ cents: Int, from sender: StreamName, to receiver: StreamName, in store: EventStore<BankPlan>
) async throws -> Bool {
  let from = try store.load(Account.self, from: sender)
  let to = try store.load(Account.self, from: receiver)
  let events = try transfer(cents, from: (sender, from.state), to: (receiver, to.state))
  do {
    try await store.append { call in
      call.append([events.sent], to: sender, expecting: from.expectation)
      call.append([events.received], to: receiver, expecting: to.expectation)
    }
  } catch {
    guard error.code == .conflict else { throw error }
    return false
  }
  return true
}
