import Annals
import Foundation

/// A bank: a rule that every append must keep, and a decision over two accounts.
@main enum Bank {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EventStore(
      at: folder.appending(path: "bank.annals"), plan: BankPlan.self, inline: [Balances.self])

    func show(_ title: String) throws {
      print(title)
      let balances = try store.read { snapshot throws(AnnalsError) in
        try snapshot.inline(Balances.self).rows(RowQuery(Balances.Balance.self))
      }
      for balance in balances { print("  \(balance.account) of \(balance.owner): \(balance.cents)") }
    }

    try await store.append([.opened(.init(owner: "Ann")), .deposited(.init(cents: 10_000))], to: "account-1")
    try await store.append([.opened(.init(owner: "Ben"))], to: "account-2")
    try show("Two accounts")

    try await transfer(2_500, from: "account-1", to: "account-2", in: store)
    try show("After a transfer")

    print(
      "Refused by the decision:",
      await reason { try await transfer(9_000, from: "account-1", to: "account-2", in: store) })
    // A program with a mistake: it does not look at the balance. The rule of the store does.
    print(
      "Refused by the store:",
      await reason { _ = try await store.append([.withdrawn(.init(cents: 9_000))], to: "account-1") })
    print(
      "Refused by the store:",
      await reason { _ = try await store.append([.opened(.init(owner: "Ann"))], to: "account-3") })

    // A hundred transfers at once, back and forth. Each decides on balances that nobody changes meanwhile.
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let isForwards = number.isMultiple(of: 2)
          try? await transfer(
            100, from: isForwards ? "account-1" : "account-2", to: isForwards ? "account-2" : "account-1",
            in: store)
        }
      }
    }
    let total = try store.read { snapshot throws(AnnalsError) in
      try snapshot.inline(Balances.self).rows(RowQuery(Balances.Balance.self)).reduce(0) { $0 + $1.cents }
    }
    print("After a hundred more, the sum is \(total)")
  }

  /// Returns why something is refused.
  static func reason(_ body: @Sendable () async throws -> Void) async -> String {
    do {
      try await body()
      return "not refused"
    } catch let error as AnnalsError {
      return "\(error.code): \(error.message)"
    } catch {
      return "\(error)"
    }
  }
}
