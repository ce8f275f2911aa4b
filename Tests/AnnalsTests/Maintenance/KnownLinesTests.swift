import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsVerify

/// Imports whose lines are in the log already, against a set of ids.
@Suite struct KnownLinesTests {
  private func id(_ number: Int) -> UUID {
    UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number >> 16),
        UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)
      ))
  }

  private func line(_ stream: Int, _ number: Int) -> String {
    #"{"stream":"s\#(stream)","type":"T","id":"\#(id(number))","data":{"n":\#(number)}}"#
  }

  private struct Known: Hashable {
    var stream: Int
    var number: Int
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `random files store each id of a stream once, also after reopening and a pass`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    var model: Set<Known> = []
    for round in 0..<6 {
      let log = try place.open()
      for _ in 0..<3 {
        var lines: [Known] = []
        for _ in 0..<Int.random(in: 1...400, using: &generator) {
          // Few numbers, so that most come again, and the same number in several streams.
          lines.append(
            Known(
              stream: Int.random(in: 0..<4, using: &generator),
              number: Int.random(in: 0..<(200 * (round + 1)), using: &generator)))
        }
        if Bool.random(using: &generator) { lines.sort { $0.number < $1.number } }
        var met: Set<Known> = []
        lines = lines.filter { met.insert($0).inserted }
        let report = try await log.importText(
          lines.map { line($0.stream, $0.number) }.joined(separator: "\n"))
        #expect(report.stored == UInt64(met.subtracting(model).count))
        #expect(report.repeated == UInt64(met.intersection(model).count))
        model.formUnion(met)
        // Entries that no import made push the imported ones out of the window.
        let others = try (0..<Int.random(in: 0...90, using: &generator)).map { try NewEntry.placed($0) }
        if !others.isEmpty {
          try await log.append(others, to: "s\(Int.random(in: 0..<4, using: &generator))")
        }
      }
      if round % 2 == 1 { _ = try await log.compact().report() }
    }
    let log = try place.open()
    let ids = try log.read { (snapshot) throws in try snapshot.all().filter { $0.id != nil } }
    #expect(ids.count == model.count)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `two imports of one process at the same time store each id once`() async throws {
    let place = try TemporaryStore()
    let text = (0..<9_000).map { line($0 % 5, $0) }.joined(separator: "\n")
    let logs = try [place.open(), place.open()]
    let reports = try await withThrowingTaskGroup(of: ImportReport.self) { group in
      for log in logs { group.addTask { try await log.importText(text) } }
      var reports: [ImportReport] = []
      for try await report in group { reports.append(report) }
      return reports
    }
    #expect(reports.map(\.stored).sum() == 9_000)
    #expect(reports.map(\.repeated).sum() == 9_000)
    #expect(try logs[0].info().entries == 9_000)
  }

  @Test func `an import that would have to keep too many ids in memory names the line`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.importText((0..<300).map { line(0, $0) }.joined(separator: "\n"))
    var work = LogImport(log, ImportOptions(), idLimit: 200)
    // In the order of the log no id is kept.
    var rest = [Array((0..<300).map { line(0, $0) }.joined(separator: "\n").utf8)]
    #expect(try await work.run({ rest.popLast() }, { _ in }).repeated == 300)
    var turned = LogImport(log, ImportOptions(), idLimit: 200)
    rest = [Array((line(0, 0) + "\n" + line(0, 500)).utf8)]
    let found = await error { () throws(AnnalsError) in _ = try await turned.run({ rest.popLast() }, { _ in })
    }
    #expect(found?.code == .tooLarge && found?.details.line == 2)
    #expect(try log.info().entries == 300)
  }

  @Test func `the memory of ids gives every position of an id and none of others`() {
    var memory = IDMemory(limit: 5_000)
    for number in 0..<5_000 {
      let isAdded = memory.add(
        id(number), of: Position(UInt64(number % 3 + 1)), at: Position(UInt64(number + 1)))
      #expect(isAdded)
    }
    let isAdded = memory.add(id(6_000), of: 1, at: 6_000)
    #expect(!isAdded)
    for number in 0..<6_000 {
      let found = memory.candidates(for: id(number), of: Position(UInt64(number % 3 + 1)))
      #expect(found == (number < 5_000 ? [Position(UInt64(number + 1))] : []))
      #expect(memory.candidates(for: id(number), of: 9) == [])
    }
  }
}
