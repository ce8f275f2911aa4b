import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import LMDB

/// Stores recognise event ids by a window of each stream's newest entries, or forever by an index.
@Suite struct IdempotencyTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func id(_ number: Int) -> UUID {
    UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, UInt8(truncatingIfNeeded: number >> 8),
        UInt8(truncatingIfNeeded: number)
      ))
  }

  private func options(_ idempotency: StoreOptions.Idempotency?) -> StoreOptions {
    var options = StoreOptions.merging(every: 16)
    options.idempotency = idempotency
    return options
  }

  /// Entries with the ids of these numbers.
  private func entries(_ numbers: some Sequence<Int>) throws -> [NewEntry] {
    try numbers.map { try NewEntry.placed($0, id: id($0)) }
  }

  private func code(_ body: () async throws(AnnalsError) -> Void) async -> AnnalsError.Code? {
    do throws(AnnalsError) { try await body() } catch { return error.code }
    return nil
  }

  @Test func `with an index a call is recognised however many entries came after it`() async throws {
    let log = try place.open(options(.always))
    let first = try await log.append(entries([1, 2, 3]), to: "a")
    for start in stride(from: 10, to: 1_000, by: 90) {
      try await log.append(entries(start..<(start + 90)), to: "a")
      try await log.append(entries(start..<(start + 90)), to: "b")
    }
    let again = try await log.append(entries([1, 2, 3]), to: "a", expecting: .noStream)
    #expect(again.wasRepeated && again.positions == first.positions)
    for ids in [[3, 2], [1, 2_000]] {
      let refusal = await code { () async throws(AnnalsError) in _ = try await log.append(three(ids), to: "a")
      }
      #expect(refusal == .partialDuplicate)
    }
    // The ids of one stream say nothing of another.
    #expect(try await log.append(entries([1]), to: "b").wasRepeated == false)
    #expect(try log.info().idempotency == .always)
    #expect(try log.info().requires.sorted() == ["ids", "journal", "journal-hash", "times"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  private func three(_ numbers: [Int]) -> [NewEntry] {
    numbers.map {
      NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]), id: id($0))
    }
  }

  @Test func `the length of the window is kept in the store`() async throws {
    do {
      let log = try place.open(options(.window(3)))
      try await log.append(entries([1]), to: "a")
      try await log.append(entries([2, 3]), to: "a")
      #expect(try await log.append(entries([1]), to: "a").wasRepeated)
    }
    let log = try place.open(options(nil))
    #expect(try log.info().idempotency == .window(3))
    try await log.append(entries([4]), to: "a")
    #expect(try await log.append(entries([1]), to: "a").wasRepeated == false)
  }

  @Test func `a store does not open with another option than it has`() throws {
    _ = try place.open(options(nil))
    #expect(throws: Never.self) { try place.open(options(.window(64))) }
    for wanted in [.always, .window(63), .window(0), .window(65_537)] as [StoreOptions.Idempotency] {
      let error = #expect(throws: AnnalsError.self) { try place.open(options(wanted)) }
      #expect(error?.code == .wrongUse)
    }
    let log = try place.open(options(nil))
    #expect(try log.setIdempotency(.always) == true)
    #expect(try log.setIdempotency(.always) == false)
    #expect(throws: Never.self) { try place.open(options(.always)) }
    #expect(#expect(throws: AnnalsError.self) { try place.open(options(.window(64))) }?.code == .wrongUse)
    #expect(
      #expect(throws: AnnalsError.self) { try log.setIdempotency(.window(0)) }?.code == .wrongUse)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `random calls are answered as the array answers them, across changes, passes and reopening`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed &+ 100)
    var calls = CallGenerator(seed: seed)
    var model = ArrayModel()
    model.window = seed % 2 == 0 ? .max : 64
    _ = try place.open(options(seed % 2 == 0 ? .always : nil))
    for round in 0..<6 {
      let log = try place.open(options(model.window == .max ? .always : .window(model.window)))
      for _ in 0..<14 {
        let parts = calls.next(model)
        let wanted = model.append(parts)
        #expect(try await log.outcome(of: parts) == wanted, "seed \(seed), round \(round)")
      }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: _ = try await log.compact().report()
      case 1:
        model.window = .max
        try log.setIdempotency(.always)
      case 2:
        model.window = [1, 64, 200].randomElement(using: &generator) ?? 64
        try log.setIdempotency(.window(model.window))
      default: break
      }
      let report = try EventLog.verify(place.url)
      #expect(report.isClean, "seed \(seed), round \(round): \(report.findings)")
    }
    #expect(try place.open(options(nil)).info().entries == UInt64(model.entries.count))
  }

  @Test func `a writer that has the store open follows each change`() async throws {
    let log = try place.open(options(nil))
    try await log.append(entries([1]), to: "a")
    try await log.append(entries(2..<90), to: "a")
    try log.setIdempotency(.always)
    #expect(try await log.append(entries([1]), to: "a").wasRepeated)
    try log.setIdempotency(.window(8))
    #expect(try await log.append(entries([1]), to: "a").wasRepeated == false)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `verify finds every kind of wrong row of the index, and a repair makes it again`() async throws {
    let log = try place.open(options(.always))
    try await log.append(entries(1..<9), to: "a")
    let generation = log.core.generation
    let table = try #require(generation.environment.ids)
    func change(_ row: IDRow, removing: Bool = false) throws {
      try generation.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        if removing {
          do throws(EnvironmentError) { _ = try transaction.delete(key: row.key.span, in: table) } catch {
            throw AnnalsError(error)
          }
        } else {
          try transaction.put(row, in: table)
        }
      }
    }
    let sound = IDRow(stream: 1, id: id(4), revision: 3)
    let wrong: [(IDRow, removing: Bool)] = [
      (sound, true), (IDRow(stream: 1, id: id(4), revision: 2), false),
      (IDRow(stream: 1, id: id(4), revision: 5), false), (IDRow(stream: 1, id: id(40), revision: 3), false),
      (IDRow(stream: 2, id: id(4), revision: 0), false),
    ]
    for (row, removing) in wrong {
      try change(row, removing: removing)
      let report = try EventLog.verify(place.url)
      #expect(!report.isClean && report.findings.allSatisfy { $0.repair == .rebuild }, "\(row)")
      if !removing { try change(row, removing: true) }
      try change(sound)
      #expect(try EventLog.verify(place.url).isClean)
    }
    try change(sound, removing: true)
    #expect(try EventLog.repair(place.url).isDone)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try await log.append(entries([4]), to: "a").positions == [4])
  }

  @Test func `a copy of a store has its index`() async throws {
    let log = try place.open(options(.always))
    try await log.append(entries(1..<200), to: "a")
    let copy = place.directory.appendingPathComponent("copy.annals")
    _ = try log.backup(to: copy)
    let restored = try EventLog(at: copy, options: options(.always))
    #expect(try await restored.append(entries([1]), to: "a").wasRepeated)
    #expect(try EventLog.verify(copy).isClean)
  }

  @Test func `an import finds ids by the index and keeps none in memory`() async throws {
    let log = try place.open(options(.always))
    func text(_ numbers: some Sequence<Int>) -> String {
      numbers.map { #"{"stream":"a","type":"T","id":"\#(id($0))","data":{"n":\#($0)}}"# }
        .joined(separator: "\n")
    }
    try await log.importText(text(1...300))
    var work = LogImport(log, ImportOptions(), idLimit: 0)
    var rest = [Array(text((1...400).reversed()).utf8)]
    let report = try await work.run({ rest.popLast() }, { _ in })
    #expect(report.stored == 100 && report.repeated == 300)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: [IDIndexRow.building(0), .building(100), .emptying])
  func `a change that was cut short is gone on with, and the store is sound meanwhile`(
    row: IDIndexRow
  ) async throws {
    let log = try place.open(options(nil))
    try await log.append(entries(1...300), to: "a")
    let generation = log.core.generation
    let turn = try generation.environment.turn()
    let table = try generation.environment.create(later: StoreTables.ids, turn)
    try generation.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      // While it is emptied, rows are there that nothing vouches for.
      let numbers = row == .building(0) ? 0..<0 : row == .emptying ? 7..<50 : 0..<100
      for number in numbers {
        try transaction.put(
          IDRow(stream: 1, id: id(number + 1), revision: Revision(UInt64(number))), in: table)
      }
      try transaction.put(row.encoded(), IDIndexRow.name, in: generation.tables.meta)
    }
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try log.info().idempotency == .window(64))
    #expect(try await log.append(entries([1]), to: "a").wasRepeated == false)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try log.setIdempotency(.always))
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try await log.append(entries([1]), to: "a").positions == [301])
    #expect(try await log.append(entries([2]), to: "a").positions == [2])
  }
}
