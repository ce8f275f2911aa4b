import Annals

/// Why a transfer is refused.
enum TransferRefusal: Error {
  case notOpen(StreamName)
  case tooLittle(cents: Int)
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

/// Moves money between two accounts: both sides are stored, or none.
///
/// Both accounts are read in one snapshot. If another append changes one of them before the events are stored,
/// the decision is made again.
func transfer(
  _ cents: Int, from sender: StreamName, to receiver: StreamName, in store: EventStore<BankPlan>
) async throws {
  try await store.decide(Account.self, on: [sender, receiver]) { accounts in
    let events = try transfer(
      cents, from: (sender, accounts[sender]), to: (receiver, accounts[receiver]))
    return [sender: [events.sent], receiver: [events.received]]
  }
}
