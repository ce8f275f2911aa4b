import Foundation
import Testing

@testable import Annals

/// A snapshot made from the entries of the model, for deciding without a store.
private struct ModelState: AppendState {
  let model: ArrayModel
  let window = UInt64(ArrayModel.window)

  func head(of stream: StreamName) -> Head? {
    let positions = model.positions(of: stream)
    guard let first = positions.first else { return nil }
    func hasID(_ position: Int) -> Bool { model.entries[position - 1].event.id != nil }
    var head = Head(first: Position(UInt64(first)), hasID: hasID(first))
    for position in positions.dropFirst() {
      _ = head.advance(to: Position(UInt64(position)), hasID: hasID(position))
    }
    return head
  }

  func identities(of head: Head, _ revisions: ClosedRange<UInt64>) -> [EntryIdentity] {
    let positions = model.positions(of: model.entries[Int(head.id.rawValue) - 1].stream)
    return revisions.map { revision in
      let position = positions[Int(revision)]
      return EntryIdentity(
        position: Position(UInt64(position)), revision: Revision(revision),
        id: model.entries[position - 1].event.id)
    }
  }
}

@Suite struct AppendDecisionTests {
  private func request(_ parts: [ArrayModel.Part]) -> AppendRequest {
    AppendRequest(
      parts: parts.map { part in
        .init(
          stream: part.stream, expectation: part.expectation,
          events: part.events.map {
            .init(type: $0.type, version: $0.version, payload: $0.payload, id: $0.id)
          })
      }, time: 0)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `the verdict is that of the array model`(seed: UInt64) throws {
    var calls = CallGenerator(seed: seed)
    var model = ArrayModel()
    for _ in 0..<100 {
      let parts = calls.next(model)
      let verdict = AppendDecision.decide(request(parts), in: ModelState(model: model))
      switch (model.append(parts), verdict) {
      case (.stored, .accepted): break
      case (.repeated(let positions), .repeated(let identities)):
        #expect(identities.map(\.position.rawValue) == positions)
      case (.duplicateID(let wanted), .duplicateID(let found, _)): #expect(found == wanted)
      case (.partlyThere, .partlyThere): break
      case (.conflict(let wanted), .conflict(let found)): #expect(found == wanted)
      case (let wanted, let found): Issue.record("wanted \(wanted), found \(found)")
      }
    }
  }

  @Test func `random calls reach every outcome`() {
    var calls = CallGenerator(seed: 1)
    var model = ArrayModel()
    var reached: Set<String> = []
    for _ in 0..<120 {
      switch model.append(calls.next(model)) {
      case .stored: reached.insert("stored")
      case .repeated(let positions): if !positions.isEmpty { reached.insert("repeated") }
      case .duplicateID: reached.insert("duplicateID")
      case .partlyThere: reached.insert("partlyThere")
      case .conflict: reached.insert("conflict")
      }
    }
    #expect(reached == ["stored", "repeated", "duplicateID", "partlyThere", "conflict"])
  }
}
