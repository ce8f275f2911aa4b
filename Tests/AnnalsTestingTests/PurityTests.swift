import Annals
import AnnalsTestSupport
import AnnalsTesting
import Foundation
import Testing

@Suite struct PurityTests {
  @Test func `a pure plan passes`() async throws {
    try await Purity.check(WorkoutPlan.self)
    try await Purity.check(RanksPlan.self)
  }

  @Test func `a digest has the 64 digits of a SHA-256 and is the same again`() throws {
    let digest = try Purity.digest(of: WorkoutPlan.self)
    #expect(digest.count == 64)
    #expect(digest.allSatisfy { "0123456789abcdef".contains($0) })
    #expect(try Purity.digest(of: WorkoutPlan.self) == digest)
    #expect(try Purity.digest(of: RanksPlan.self) != digest)
  }

  @Test(arguments: Surroundings.all)
  func `a pure plan has the same digest in another process, time zone and language`(
    surroundings: Surroundings
  ) async throws {
    let digest = try Purity.digest(of: WorkoutPlan.self) + Purity.digest(of: RanksPlan.self)
    await #expect(processExitsWith: .success) {
      [digest = digest as String, surroundings = surroundings as Surroundings] in
      surroundings.enter()
      try Purity.expect(String(digest.prefix(64)), of: WorkoutPlan.self)
      try Purity.expect(String(digest.suffix(64)), of: RanksPlan.self)
    }
  }

  // Promise P80.
  @Test func `a rule that looks at the clock is found`() async throws {
    let failure = await #expect(throws: PurityFailure.self) { try await Purity.check(ImpurePlan<Clock>.self) }
    #expect(
      failure?.description.contains("Seen[0] of 1.0.0 at position 1 gives something else again:") == true)
  }

  // Promise P81.
  @Test func `a rule that makes an id at random is found`() async throws {
    await #expect(throws: PurityFailure.self) { try await Purity.check(ImpurePlan<Random>.self) }
  }

  @Test func `a rule that counts how often it runs is found`() async throws {
    await #expect(throws: PurityFailure.self) { try await Purity.check(ImpurePlan<Counter>.self) }
  }

  /// The rule gives the same result throughout a process, so only another process can show the difference.
  // Promise P83.
  @Test func `a rule that goes through a set in its own order is found by another process`() async throws {
    let digest = try Purity.digest(of: ImpurePlan<SetOrder>.self)
    await #expect(processExitsWith: .exitCode(3)) { [digest = digest as String] in
      do { try Purity.expect(digest, of: ImpurePlan<SetOrder>.self) } catch is PurityFailure { exit(3) }
    }
  }

  /// The first process is in UTC; the tests' own process might not be.
  // Promise P82.
  @Test(arguments: ["Asia/Kolkata", "America/St_Johns"])
  func `a rule that asks the calendar for a year is found in another time zone`(timeZone: String) async throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.path("digest")
    await #expect(processExitsWith: .success) { [file = file as String] in
      Surroundings(timeZone: "UTC", language: "C").enter()
      let digest = try Purity.digest(of: ImpurePlan<CalendarYear>.self)
      try Data(digest.utf8).write(to: URL(filePath: file))
    }
    let digest = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    #expect(digest.count == 64)
    await #expect(processExitsWith: .success) { [digest = digest as String] in
      Surroundings(timeZone: "UTC", language: "tr_TR.UTF-8").enter()
      try Purity.expect(digest, of: ImpurePlan<CalendarYear>.self)
    }
    await #expect(processExitsWith: .exitCode(3)) {
      [digest = digest as String, timeZone = timeZone as String] in
      Surroundings(timeZone: timeZone, language: "C").enter()
      do { try Purity.expect(digest, of: ImpurePlan<CalendarYear>.self) } catch is PurityFailure { exit(3) }
    }
  }

  // Promise P84.
  @Test func `a context that is worked out in the order of a set is found by another process`() async throws {
    let digest = try Purity.digest(of: SetContextPlan.self)
    await #expect(processExitsWith: .exitCode(3)) { [digest = digest as String] in
      do { try Purity.expect(digest, of: SetContextPlan.self) } catch is PurityFailure { exit(3) }
    }
  }
}
