import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// Erasing an event whose id a late retry stored again, in a store that recognises every id since.
@Suite struct ErasedCopyTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
  }

  private func id(_ number: Int) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, UInt8(truncatingIfNeeded: number)))
  }

  private func options(_ idempotency: StoreOptions.Idempotency) -> StoreOptions {
    var options = StoreOptions.merging(every: 16)
    options.idempotency = idempotency
    return options
  }

  private func append(_ number: Int?, to stream: StreamName, _ log: EventLog) async throws -> Appended {
    try await log.append([NewEntry.placed(number ?? 0, id: number.map(id))], to: stream)
  }

  private func position(_ number: Int, _ stream: StreamName, _ log: EventLog) throws -> Position? {
    try log.read { snapshot throws(AnnalsError) in
      try snapshot.entry(id: id(number), in: stream)?.position
    }
  }

  private func window(_ log: EventLog) throws -> UInt64 {
    try log.read { snapshot throws(AnnalsError) in try snapshot.reader.meta().window }
  }

  /// A store in which events 1, 3 and 6 of a stream have one id.
  private func repeated() async throws -> EventLog {
    let log = try place.open(options(.window(1)))
    for number in [7, nil, 7, 8, nil, 7] { _ = try await append(number, to: "a", log) }
    #expect(try log.setIdempotency(.always))
    return log
  }

  @Test func `an older copy of an erased event is recognised from then on`() async throws {
    let log = try await repeated()
    for (erased, left) in [(6, 3), (3, 1)] as [(Position, Position)] {
      try log.erase([erased], by: "jane", because: "request")
      #expect(try position(7, "a", log) == left)
      let retry = try await append(7, to: "a", log)
      #expect(retry.wasRepeated && retry.positions == [left])
      #expect(try EventLog.verify(place.url).isClean)
    }
    try log.erase([1], by: "jane", because: "request")
    #expect(try position(7, "a", log) == nil && position(8, "a", log) == 4)
    #expect(try await !append(7, to: "a", log).wasRepeated)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: [[6, 3], [6, 4], [6, 3, 1], [3]] as [[Position]])
  func `copies that are erased together leave the newest one of the rest`(erased: [Position]) async throws {
    let log = try await repeated()
    try log.erase(erased, by: "jane", because: "request")
    let left = ([1, 3, 6] as [Position]).last { !erased.contains($0) }
    for isPassed in [false, true] {
      if isPassed { _ = try await log.compact().report() }
      #expect(try position(7, "a", log) == left)
      #expect(try position(8, "a", log) == (erased.contains(4) ? nil : 4))
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test func `a stream with copies is erased whole`() async throws {
    let log = try await repeated()
    _ = try await append(7, to: "b", log)
    try log.erase(stream: "a", by: "jane", because: "request")
    #expect(try position(7, "b", log) == 7)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `after random erasures each id leads to the newest event that has it`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let log = try place.open(options(.window(Int.random(in: 1...3, using: &random))))
    var events: [(stream: StreamName, number: Int?)] = []
    for _ in 0..<80 {
      let stream: StreamName = Bool.random(using: &random) ? "a" : "b"
      let number = Int.random(in: 0..<3, using: &random) == 0 ? nil : Int.random(in: 1...9, using: &random)
      if try await !append(number, to: stream, log).wasRepeated { events.append((stream, number)) }
    }
    try log.setIdempotency(.always)
    var places = Array(events.indices)
    while !places.isEmpty {
      let count = Int.random(in: 1...12, using: &random)
      let chosen = Set((0..<count).compactMap { _ in places.randomElement(using: &random) })
      places.removeAll { chosen.contains($0) }
      try log.erase(chosen.map { Position(UInt64($0 + 1)) }, by: "jane", because: "request")
      for stream in ["a", "b"] as [StreamName] {
        for number in 1...9 {
          let newest = places.last { events[$0] == (stream, number) }
          let wanted = newest.map { Position(UInt64($0 + 1)) }
          #expect(try position(number, stream, log) == wanted, "seed \(seed), \(stream), \(number)")
        }
      }
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed)")
    }
  }

  @Test func `a store knows whether a stream can have an id twice`() async throws {
    do {
      let log = try await repeated()
      #expect(try window(log) == 1)
    }
    let other = try TemporaryStore(in: TemporaryDirectory.memory)
    do {
      let log = try other.open(options(.always))
      #expect(try window(log) == StoreMeta.widest)
      for number in [7, 8, 7] { _ = try await append(number, to: "a", log) }
      _ = try await append(7, to: "b", log)
      try log.erase([1], by: "jane", because: "request")
      #expect(try position(7, "a", log) == nil && position(7, "b", log) == 3)
      try log.setIdempotency(.window(5))
      #expect(try window(log) == 5)
      try log.setIdempotency(.always)
      _ = try await log.compact().report()
      #expect(try window(log) == StoreMeta.widest)
    }
    #expect(try EventLog.verify(other.url).isClean)
  }
}
