import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Calls whose event ids are in the store already, in whole or in part.
@Suite struct EventLogRepetitionTests {
  private let place: TemporaryStore
  private let log: EventLog

  init() throws {
    place = try TemporaryStore()
    log = try place.open()
  }

  /// Entries with the ids of these numbers; 0 means no id.
  private func entries(_ numbers: [Int]) throws -> [NewEntry] {
    try numbers.map { try NewEntry.sized(1, id: $0 == 0 ? nil : id($0)) }
  }

  private func id(_ number: Int) -> UUID {
    UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number >> 8),
        UInt8(truncatingIfNeeded: number)
      ))
  }

  private func refusal(_ body: (inout AppendCall<NewEntry>) -> Void) async throws -> AnnalsError? {
    let before = try place.files()
    var refusal: AnnalsError?
    do throws(AnnalsError) { try await log.append(body) } catch { refusal = error }
    #expect(try place.files() == before)
    return refusal
  }

  @Test func `an id that occurs twice in a call is refused by name`() async throws {
    let twice = try entries([1, 2, 1])
    let error = try await refusal { $0.append(twice, to: "a") }
    #expect(error?.code == .duplicateID)
    #expect(error?.details.id == id(1))
    let parts = [try entries([3]), try entries([3])]
    #expect(try await refusal { for part in parts { $0.append(part, to: "a") } }?.code == .duplicateID)
    // Ids are unique in their stream, not in the log.
    try await log.append {
      for (part, stream) in zip(parts, ["a", "b"]) { $0.append(part, to: StreamName(stream)) }
    }
  }

  @Test(arguments: [[1, 2], [2, 3, 4], [4, 3], [3, 9], [9, 3], [1, 2, 3, 4, 5], [2, 1], [1, 3]])
  func `a call that is partly there, or in another order, is refused`(numbers: [Int]) async throws {
    try await log.append(entries([1, 2, 3, 4]), to: "a")
    let again = try entries(numbers)
    let error = try await refusal { $0.append(again, to: "a") }
    // A run of the first call's events in their order cannot be distinguished from a repeated call.
    let isRun = [[1, 2], [2, 3, 4]].contains(numbers)
    #expect(error?.code == (isRun ? nil : .partialDuplicate))
    #expect(isRun || error?.details.id != nil)
  }

  @Test func `a repeated batch larger than the window is recognised by its last id`() async throws {
    let batch = try entries(Array(1...300))
    let first = try await log.append(batch, to: "a")
    let again = try await log.append(batch, to: "a", expecting: .noStream)
    #expect(again.wasRepeated && !first.wasRepeated)
    #expect(again.positions == first.positions)
    #expect(try EventLog.verify(place.url).entries == 300)
  }

  @Test func `an id older than the window is accepted again`() async throws {
    let once = try entries([1])
    try await log.append(once, to: "a")
    try await log.append(entries([Int](repeating: 0, count: 62)), to: "a")
    #expect(try await log.append(once, to: "a").wasRepeated)
    // One more, and 63 entries and a last one come after it.
    try await log.append(entries([0, 0]), to: "a")
    let later = try await log.append(once, to: "a")
    #expect(!later.wasRepeated)
    #expect(later.revision == 65)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a repeated call on several streams is recognised if all of them agree`() async throws {
    let (one, two) = (try entries([1, 2]), try entries([3]))
    func call(_ call: inout AppendCall<NewEntry>) {
      call.append(one, to: "a", expecting: .noStream)
      call.append(two, to: "b", expecting: .noStream)
      call.append(Array(one.prefix(0)), to: "c", expecting: .noStream)
    }
    let first = try await log.append(call)
    let again = try await log.append(call)
    #expect(again.wasRepeated)
    #expect(again.positions == first.positions)
  }

  @Test func `a call of which only one stream is there is refused`() async throws {
    let (one, two, bare) = (try entries([1, 2]), try entries([3]), try entries([0]))
    try await log.append(one, to: "a")
    let error = try await refusal { call in
      call.append(one, to: "a")
      call.append(two, to: "b")
    }
    #expect(error?.code == .partialDuplicate)
    #expect(error?.details.id == id(1))
    let reversed = try await refusal { call in
      call.append(two, to: "b")
      call.append(one, to: "a")
    }
    #expect(reversed?.code == .partialDuplicate)
    // Events without ids cannot be recognised, so a call that brings some is not whole either.
    let mixed = try await refusal { call in
      call.append(one, to: "a")
      call.append(bare, to: "c")
    }
    #expect(mixed?.code == .partialDuplicate)
  }
}
