import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsSchema

/// Which views share a scan of the log.
struct ScanTableTests {
  /// A table that expectations may change.
  private final class Desk {
    private var table: ScanTable

    init() throws { table = ScanTable(try CompiledPlan(Tallies.Plan.self)) }

    func join(_ runner: Int, _ cases: Set<Int>? = [0], after position: UInt64) -> [UInt64] {
      let (number, isNew) = table.join(.init(number: runner, cases: cases), after: position)
      return [number, isNew ? 1 : 0]
    }
    func step(of number: UInt64) -> ScanTable.Step? { table.step(of: number) }
    func passed(_ number: UInt64, from old: UInt64, to new: UInt64, isLast: Bool) {
      table.passed(number, from: old, to: new, isLast: isLast)
    }
    func merge(_ number: UInt64) -> Bool { table.merge(number) }
    func isLive(_ runner: Int) -> Bool { table.isLive(runner) }
    func detach(_ runner: Int, after position: UInt64) -> [UInt64]? {
      table.detach(runner, after: position).map { [$0.number, $0.isNew ? 1 : 0] }
    }
    func end(_ number: UInt64) -> Int { table.end(number).count }
    func leave(_ runner: Int) { table.leave(runner) }
  }

  @Test("views at similar positions share a scan, which goes back for a late one; a distant one has its own")
  func joining() throws {
    let desk = try Desk()
    #expect(desk.join(10, after: 40_000) == [1, 1])
    #expect(desk.step(of: 1)?.position == 40_000)
    #expect(desk.join(11, after: 10) == [1, 0])
    // The page that was being read was not given to the second.
    desk.passed(1, from: 40_000, to: 44_000, isLast: true)
    let step = try #require(desk.step(of: 1))
    #expect(step.position == 10 && step.runners == [10, 11] && !step.haveSeenEnd)
    #expect(desk.join(12, after: 900_000) == [2, 1])
    desk.passed(1, from: 10, to: 900, isLast: false)
    #expect(desk.step(of: 1)?.position == 900)
    // One that came while a page was read, at the place where it began, is given that page too.
    #expect(desk.join(13, after: 900) == [1, 0])
    desk.passed(1, from: 900, to: 2_000, isLast: true)
    #expect(desk.step(of: 1)?.position == 900)
    #expect(desk.step(of: 1)?.haveSeenEnd == false)
    desk.passed(1, from: 900, to: 2_000, isLast: true)
    #expect(desk.step(of: 1)?.haveSeenEnd == true)
  }

  @Test(
    "a scan that meets the end of the log gives its views to the one that waits there; a slow view goes its own way"
  )
  func merging() throws {
    let desk = try Desk()
    _ = desk.join(10, after: 0)
    _ = desk.step(of: 1)
    desk.passed(1, from: 0, to: 200_000, isLast: true)
    #expect(!desk.merge(1))
    #expect(desk.isLive(10))
    #expect(desk.join(11, after: 0) == [2, 1])
    _ = desk.step(of: 2)
    desk.passed(2, from: 0, to: 199_990, isLast: true)
    #expect(!desk.isLive(11))
    #expect(desk.merge(2))
    #expect(desk.step(of: 2) == nil)
    let step = try #require(desk.step(of: 1))
    #expect(step.position == 199_990 && step.runners.count == 2 && step.isLive)
    #expect(desk.detach(11, after: 199_990) == [3, 1])
    #expect(desk.detach(12, after: 5) == nil)
    #expect(desk.step(of: 1)?.runners.count == 1)
    #expect(desk.step(of: 3)?.position == 199_990)
    desk.leave(10)
    #expect(desk.step(of: 1) == nil)
  }

  @Test("there are few scans, however far apart the views are: the others join the nearest that is not live")
  func limit() throws {
    let desk = try Desk()
    _ = desk.join(1, after: 5_000_000)
    #expect(!desk.merge(1))
    #expect(desk.join(2, after: 0) == [2, 1])
    #expect(desk.join(3, after: 1_000_000) == [3, 1])
    #expect(desk.join(4, after: 2_000_000) == [4, 1])
    #expect(desk.join(5, after: 3_500_000) == [4, 0])
    #expect(desk.join(6, after: 700_000) == [3, 0])
    #expect(desk.step(of: 3)?.position == 700_000)
    // A slow view does not come back to the scan that it has delayed.
    #expect(desk.detach(1, after: 5_000_000) == [4, 0])
    #expect(desk.step(of: 1) == nil)
    #expect(desk.step(of: 4)?.runners == [4, 5, 1])
  }

  @Test("no view joins a scan that could not be begun")
  func failing() throws {
    let desk = try Desk()
    #expect(desk.join(10, after: 7) == [1, 1])
    #expect(desk.join(11, after: 7) == [1, 0])
    #expect(desk.end(1) == 2)
    #expect(desk.join(12, after: 7) == [2, 1])
    #expect(desk.step(of: 1) == nil)
    #expect(desk.end(1) == 0)
  }

  @Test("a scan reads the types that its views want, and no more")
  func wanting() throws {
    let desk = try Desk()
    _ = desk.join(10, [0], after: 0)
    #expect(desk.step(of: 1)?.wanted == [0])
    _ = desk.join(11, [1], after: 0)
    #expect(desk.step(of: 1)?.wanted == [0, 1])
    desk.leave(10)
    #expect(desk.step(of: 1)?.wanted == [1])
    _ = desk.join(12, nil, after: 0)
    #expect(desk.step(of: 1)?.wanted == nil)
  }
}
