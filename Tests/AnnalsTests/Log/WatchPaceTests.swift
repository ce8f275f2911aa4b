import Testing

@testable import AnnalsLog

/// The rests of the thread that looks for commits of other processes.
struct WatchPaceTests {
  /// Looks for a time without a commit.
  ///
  /// - Returns: The number of looks in that time.
  private func looks(_ pace: inout WatchPace, files: Int, milliseconds: UInt32) -> Int {
    var (looks, passed) = (0, 0 as UInt32)
    while passed < milliseconds {
      passed += pace.rest(after: files, hasMoved: false)
      looks += 1
    }
    return looks
  }

  @Test(arguments: [1, 8, 500]) func `An idle process looks rarely, regardless of the number of files`(
    files: Int
  ) {
    var pace = WatchPace()
    #expect(looks(&pace, files: files, milliseconds: 1_000) == 500)
    let idle = looks(&pace, files: files, milliseconds: 10_000)
    #expect(idle <= (files == 1 ? 1_112 : 625))
  }

  @Test func `A commit, and a new file, make it look every other millisecond for a second`() {
    var pace = WatchPace()
    _ = looks(&pace, files: 1, milliseconds: 2_000)
    #expect(pace.rest(after: 1, hasMoved: false) == 9)
    #expect(pace.rest(after: 1, hasMoved: true) == 2)
    #expect(looks(&pace, files: 1, milliseconds: 900) == 450)
    _ = looks(&pace, files: 1, milliseconds: 2_000)
    pace.hurry()
    #expect(pace.rest(after: 1, hasMoved: false) == 2)
  }
}
