import Testing

@testable import Annals

/// Folds as they are read, compared with a fold of the log as an array.
@Suite struct FoldReadTests {
  @Test(arguments: 2...7, 1...4 as ClosedRange<UInt64>)
  func `a whole log reads as its model`(version: Int, seed: UInt64) async throws {
    let log = try await LapLog(seed: seed, versions: version, entries: 150)
    let reader = try LapPlans.open(version, log.place)
    let wanted = log.model.read(by: version)
    #expect(try reader.all() == wanted)
    #expect(try await reader.waiting(in: nil, backwards: false) == wanted)
    #expect(try await reader.waiting(in: nil, backwards: true) == wanted.reversed())
  }

  @Test(arguments: [3, 5, 6, 7], 5...7 as ClosedRange<UInt64>)
  func `a log reads the same from every position, in both directions`(version: Int, seed: UInt64) async throws
  {
    let log = try await LapLog(seed: seed, versions: version)
    let reader = try LapPlans.open(version, log.place)
    let wanted = log.model.read(by: version)
    for position in 1...UInt64(log.model.log.count) {
      let after = wanted.filter { $0.position >= position }
      let before = Array(wanted.filter { $0.position <= position }.reversed())
      #expect(try reader.all(from: position, backwards: false, limit: .max) == after)
      #expect(try reader.all(from: position, backwards: true, limit: .max) == before)
      for limit in [1, 2, 3, 7, 100] {
        #expect(
          try reader.all(from: position, backwards: false, limit: limit)
            == after.read(upTo: limit) { $0.position })
        #expect(
          try reader.all(from: position, backwards: true, limit: limit)
            == before.read(upTo: limit) { $0.position })
      }
    }
  }

  @Test(arguments: [3, 5, 7], 8...10 as ClosedRange<UInt64>)
  func `a stream reads the same from every revision, in both directions`(version: Int, seed: UInt64)
    async throws
  {
    let log = try await LapLog(seed: seed, versions: version)
    let reader = try LapPlans.open(version, log.place)
    let all = log.model.read(by: version)
    for stream in Set(log.model.log.map(\.stream)) {
      let wanted = all.filter { $0.stream == stream }
      #expect(try await reader.waiting(in: stream, backwards: false) == wanted)
      #expect(try await reader.waiting(in: stream, backwards: true) == wanted.reversed())
      for revision in 0..<UInt64(log.model.log.count { $0.stream == stream }) {
        let after = wanted.filter { $0.revision >= revision }
        let before = Array(wanted.filter { $0.revision <= revision }.reversed())
        for limit in [1, 3, 100] {
          #expect(
            try reader.all(in: stream, from: revision, backwards: false, limit: limit)
              == after.read(upTo: limit) { $0.position })
          #expect(
            try reader.all(in: stream, from: revision, backwards: true, limit: limit)
              == before.read(upTo: limit) { $0.position })
        }
      }
    }
  }

  @Test func `the model has folds of every kind to compare with`() async throws {
    var facts: [LapFact] = []
    for seed in 1...4 as ClosedRange<UInt64> {
      facts += try await LapLog(seed: seed, versions: 3, entries: 150).model.read(by: 3).map(\.fact)
    }
    let lengths = Set(facts.map { if case .lap(_, let ns) = $0 { ns.count } else { 0 } })
    #expect(lengths.isSuperset(of: [1, 2, 3, 5]) && (lengths.max() ?? 0) > 8)
    #expect(facts.contains { if case .remark(_, let times) = $0 { times > 1 } else { false } })
  }

  @Test(arguments: 11...14 as ClosedRange<UInt64>)
  func `events appended after the activation change no group`(seed: UInt64) async throws {
    var log = try await LapLog(seed: seed, versions: 7)
    let reader = try LapPlans.open(7, log.place)
    #expect(try reader.all() == log.model.read(by: 7))
    try await log.append(version: 7, count: 20)
    #expect(try reader.all() == log.model.read(by: 7))
    #expect(try LapPlans.open(7, log.place).all() == log.model.read(by: 7))
  }
}
