import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// Erasures that follow each other while views are made again.
@Suite struct ErasedTwiceTests {
  private typealias Lines = ErasingProjections.Lines

  @Test func `no row stays of an event that was erased while rows of another were taken out`() async throws {
    let customers = try ErasedCustomers()
    let store = try customers.store()
    let view = try store.view(Lines.self)
    for round in 0..<16 {
      let stored = try await store.append(
        [.moved(.init(amount: round)), .moved(.init(amount: round))], to: "customer-\(round)",
        waitingFor: view)
      let reading = Task.detached {
        for _ in 0..<50 {
          _ = try? view.count(RowQuery(Lines.Line.self))
          try? await Task.sleep(for: .microseconds(200))
        }
      }
      try store.erase([stored.positions[0]], by: "jane", because: "request")
      let report = try store.erase([stored.positions[1]], by: "jane", because: "request")
      await reading.value
      let rows = try await lines(view, report.recorded[0])
      #expect(rows.isDisjoint(with: stored.positions.map(\.rawValue)), "round \(round): \(rows.sorted())")
    }
  }

  /// The positions of all rows, once the view can be read up to `position`.
  private func lines(_ view: View<Lines>, _ position: Position) async throws -> Set<UInt64> {
    for _ in 0..<5_000 {
      do throws(AnnalsError) {
        let found = try view.read { (snapshot) throws(AnnalsError) -> Set<UInt64>? in
          guard let read = try snapshot.position(), read >= position else { return nil }
          return Set(try snapshot.rows(RowQuery(Lines.Line.self)).map(\.position))
        }
        if let found { return found }
      } catch {
        guard error.code == .busy else { throw error }
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("the view does not reach \(position)")
    return []
  }
}
