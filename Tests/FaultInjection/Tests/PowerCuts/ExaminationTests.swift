import Annals
import FaultPrograms
import Foundation
import Testing

/// The findings of the examination for stores with missing or extra calls.
@Suite struct ExaminationTests {
  private static let seed: UInt64 = 3

  /// Examines a store that has the calls `there`, of six.
  ///
  /// - Returns: The finding; `nil` if there is none.
  private func finding(
    there: [Int], must: Range<Int>, may: Range<Int>, isHistory: Bool = false,
    _ change: (URL) throws -> Void = { _ in }
  ) async throws -> String? {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let store = scratch.url.appendingPathComponent(Examination.name)
    do {
      let log = try EventLog(at: store)
      for number in there { try await Call(number, seed: Self.seed).append(to: log) }
    }
    try change(store)
    let knowledge = Examination.Knowledge(must: CallSet(must), may: CallSet(may), isHistory: isHistory)
    do {
      _ = try await Examination(seed: Self.seed, calls: 6).run(in: scratch.url, knowledge)
      return nil
    } catch let finding as Examination.Finding {
      return finding.description
    }
  }

  @Test func `a store with the answered calls and some of the begun ones is as it must be`() async throws {
    #expect(try await finding(there: [0, 1, 2, 3], must: 0..<3, may: 0..<5, isHistory: true) == nil)
  }

  @Test func `an answered call that is missing is found`() async throws {
    #expect(
      try await finding(there: [0, 1], must: 0..<3, may: 0..<3)
        == "as it is found, answered calls are lost: 2")
  }

  @Test func `a call that was refused is found`() async throws {
    #expect(
      try await finding(there: [0, 1, 2, 4], must: 0..<3, may: 0..<3)
        == "as it is found, calls that were refused are there: 4")
  }

  @Test func `a call that is missing before later ones is found`() async throws {
    #expect(
      try await finding(there: [0, 2], must: 0..<1, may: 0..<3, isHistory: true)
        == "as it is found, call 1 is missing before later ones")
  }

  @Test func `a call that is there twice is found`() async throws {
    let found = try await finding(there: [0, 1, 1], must: 0..<2, may: 0..<2)
    // Without ids nothing keeps a call from being made twice.
    let hasIDs = try Call(1, seed: Self.seed).events.contains { $0.entry.id != nil }
    try #require(!hasIDs)
    #expect(found == "as it is found, a call is there twice")
  }

  @Test func `a store that is gone is found`() async throws {
    let found = try await finding(there: [0], must: 0..<1, may: 0..<1) { store in
      try FileManager.default.removeItem(at: store)
    }
    #expect(found == "the store is gone")
  }

  @Test func `an entry of no call is found`() async throws {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let store = scratch.url.appendingPathComponent(Examination.name)
    do { try await Call(0, seed: Self.seed + 1).append(to: EventLog(at: store)) }
    let knowledge = Examination.Knowledge(must: CallSet([]), may: CallSet(0..<6), isHistory: true)
    let error = await #expect(throws: Examination.Finding.self) {
      try await Examination(seed: Self.seed, calls: 6).run(in: scratch.url, knowledge)
    }
    #expect(error?.description == "as it is found, position 1 holds what nobody appended")
  }

  @Test(.enabled(if: SubjectProcess.program != nil, "needs the program FaultTool"))
  func `a question that ends the process that looks is a finding, and the next one is answered`() throws {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let inspector = try Inspector(seed: Self.seed, calls: 6)
    let knowledge = Examination.Knowledge(must: CallSet([]), may: CallSet([]), isHistory: true)
    #expect(try inspector.finding(in: scratch.directory("a"), knowledge) == nil)
    inspector.kill()
    #expect(try inspector.finding(in: scratch.directory("b"), knowledge)?.contains("signal(9)") == true)
    #expect(try inspector.finding(in: scratch.directory("c"), knowledge) == nil)
  }
}
