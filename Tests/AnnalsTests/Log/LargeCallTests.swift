import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsShapes

/// Calls keep the bytes of their events, regardless of their sizes and of the memory that they use.
@Suite struct LargeCallTests {
  private struct Sample: Equatable {
    var payload: [UInt8]
    var metadata: [UInt8]
  }

  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    let most = [0, 30, 1_023, 1_025, 3_000].randomElement(using: &random) ?? 0
    let count = Int.random(in: max(most - 2, 0)...most, using: &random)
    return random.bytes(count: count)
  }

  private static func add(_ samples: [Sample], to request: inout AppendRequest, as part: Int) {
    request.add("stream-\(part)", expecting: .any)
    for sample in samples {
      request.add(
        .init(
          record: RecordKind(type: ExactText("T")), payload: sample.payload, metadata: sample.metadata))
    }
  }

  private static func samples(in request: AppendRequest) -> [Sample] {
    request.items.map { item in
      request.withBytes(of: item) { Sample(payload: $0.copied, metadata: $1.copied) }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a call keeps the bytes of its events, and of those that are left`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var request = AppendRequest(time: 0)
    var expected: [[Sample]] = []
    for round in 0..<60 {
      if round % 20 == 19 {
        let kept = Int.random(in: 0...expected.count, using: &random)
        request.keep(firstParts: kept, bytes: 0)
        expected.removeSubrange(kept...)
      }
      let samples = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Sample(payload: Self.bytes(&random), metadata: Self.bytes(&random))
      }
      Self.add(samples, to: &request, as: expected.count)
      expected.append(samples)
      #expect(Self.samples(in: request) == expected.flatMap { $0 }, "seed \(seed), round \(round)")
    }
    let odd = request.without { _, item in item.place.payloadCount % 2 == 0 }
    let rest = expected.flatMap { $0 }.filter { $0.payload.count % 2 == 1 }
    #expect(Self.samples(in: odd) == rest, "seed \(seed)")
  }

  @Test func `the lists of a call go to the next one, empty, unless they are too large`() {
    let spare = SpareLists()
    var request = AppendRequest(time: 0)
    Self.add([Sample(payload: [1, 2, 3], metadata: [4])], to: &request, as: 0)
    request.move(to: spare)
    #expect(Self.samples(in: request) == [Sample(payload: [1, 2, 3], metadata: [4])])
    var lists = request.lists
    lists.contents.reserveCapacity(1 << 20)
    spare.keep(lists)
    var next = AppendRequest(time: 0)
    Self.add([Sample(payload: [5], metadata: []), Sample(payload: [], metadata: [6])], to: &next, as: 1)
    next.move(to: spare)
    #expect(next.lists.contents.capacity >= 1 << 20)
    #expect(next.parts.map(\.stream) == ["stream-1"])
    #expect(Self.samples(in: next) == [.init(payload: [5], metadata: []), .init(payload: [], metadata: [6])])
    #expect(Self.samples(in: request) == [Sample(payload: [1, 2, 3], metadata: [4])])
    #expect(spare.take() == nil)
    lists.contents.reserveCapacity(9 << 20)
    spare.keep(lists)
    #expect(spare.take() == nil)
  }

  @Test func `large calls of several tasks store their own events`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<6 {
            let entries = try (0..<SpareLists.large * 2).map { try Self.entry(task, round, $0) }
            try await log.append { call in
              for (number, entry) in entries.enumerated() {
                call.append([entry], to: "task-\(task)-\(number % 5)")
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for task in 0..<4 {
      for stream in 0..<5 {
        let entries = try log.read { (snapshot) throws(AnnalsError) in
          try snapshot.all(in: "task-\(task)-\(stream)")
        }
        let expected = try (0..<6).flatMap { round in
          try stride(from: stream, to: SpareLists.large * 2, by: 5).map { try Self.entry(task, round, $0) }
        }
        #expect(entries.map(\.content) == expected.map { .payload($0.payload) })
        #expect(entries.map(\.metadata) == expected.map(\.metadata))
      }
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  private static func entry(_ task: Int, _ round: Int, _ number: Int) throws(AnnalsError) -> NewEntry {
    let text = String(repeating: "x", count: number % 7 == 0 ? 1_100 : number % 50)
    return NewEntry(
      type: "T", version: nil, payload: try Payload(["text": .text(text), "number": .init(number)]),
      metadata: number % 3 == 0 ? [:] : ["task": .init(task), "round": .init(round)])
  }
}
