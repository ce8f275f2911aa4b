import Foundation
import Testing

@testable import AnnalsFormat
@testable import AnnalsLog

/// A snapshot made from the entries of the model, for deciding without a store.
private struct ModelState: AppendState {
  let model: ArrayModel
  let request: AppendRequest

  func end(ofPart index: Int) -> StreamEnd? {
    let positions = model.positions(of: request.parts[index].stream)
    guard let first = positions.first, let last = positions.last else { return nil }
    let newestID = positions.lastIndex { model.entries[$0 - 1].event.id != nil }
    return StreamEnd(
      id: Position(UInt64(first)), revision: Revision(UInt64(positions.count - 1)),
      last: Position(UInt64(last)), newestID: newestID.map { Revision(UInt64($0)) })
  }

  func limit(ofPart index: Int) -> StreamLimit { StreamLimit() }

  func moved(ofPart index: Int, holding ids: [UUID]) -> [StreamName] { [] }

  func mergedUpTo(_ name: StreamName) -> Position? { nil }

  func revisions(of ids: [UUID], in end: StreamEnd) -> [UUID: Revision] {
    let all = identities(of: end, 0...end.revision.rawValue).suffix(model.window)
    var found: [UUID: Revision] = [:]
    for identity in all {
      if let id = identity.id, ids.contains(id) { found[id] = identity.revision }
    }
    return found
  }

  func identities(of end: StreamEnd, _ revisions: ClosedRange<UInt64>) -> [EntryIdentity] {
    let positions = model.positions(of: model.entries[Int(end.id.rawValue) - 1].stream)
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
    var request = AppendRequest(time: 0)
    for part in parts {
      request.add(part.stream, expecting: part.expectation)
      for event in part.events {
        request.add(
          .init(
            record: RecordKind(type: ExactText(event.type), version: event.version), payload: event.payload,
            id: event.id))
      }
    }
    return request
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>, [1, 64, Int.max])
  func `the verdict is that of the array model`(seed: UInt64, window: Int) throws {
    var calls = CallGenerator(seed: seed)
    var model = ArrayModel()
    model.window = window
    for _ in 0..<100 {
      let parts = calls.next(model)
      let request = request(parts)
      let verdict = AppendDecision.decide(request, in: ModelState(model: model, request: request))
      switch (model.append(parts), verdict) {
      case (.stored, .accepted): break
      case (.repeated(let positions), .repeated(let identities)):
        #expect(identities.map(\.position.rawValue) == positions)
      case (.duplicateID(let wanted), .duplicateID(let found, _)): #expect(found == wanted)
      case (.partialDuplicate, .partialDuplicate): break
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
      case .partialDuplicate: reached.insert("partialDuplicate")
      case .conflict: reached.insert("conflict")
      }
    }
    #expect(reached == ["stored", "repeated", "duplicateID", "partialDuplicate", "conflict"])
  }
}
