import LMDB
import Testing

@Suite struct OrderedWorkTests {
  /// Threads that hand over, for each piece, its number three times.
  private func start(_ work: OrderedWork<UInt64>, threads: Int) throws -> [WriterThread] {
    try (0..<threads).map { _ in
      try WriterThread(name: "test-work") {
        while let piece = work.begin() {
          for _ in 0..<3 where !work.hand(piece, of: piece) { return }
          work.finish(piece)
        }
      }
    }
  }

  @Test(arguments: [1, 2, 5])
  func `outputs come in the order of the pieces`(threads: Int) throws {
    let work = OrderedWork<UInt64>(pieces: 200, window: 4)
    let started = try start(work, threads: threads)
    var taken: [UInt64] = []
    while let output = work.take() { taken.append(output) }
    for thread in started { thread.join() }
    #expect(taken == (0..<200).flatMap { [$0, $0, $0] })
  }

  @Test func `no piece is begun too far ahead of the one that is taken`() throws {
    let work = OrderedWork<UInt64>(pieces: 10, window: 2)
    #expect(work.begin() == 0)
    #expect(work.begin() == 1)
    let begun = OrderedWork<UInt64?>(pieces: 1, window: 1)
    let thread = try WriterThread(name: "test-work") { _ = begun.hand(work.begin(), of: 0) }
    #expect(work.hand(7, of: 0))
    work.finish(0)
    #expect(work.take() == 7)
    // Only the take of the second piece's output lets the third one begin.
    #expect(work.hand(8, of: 1))
    #expect(work.take() == 8)
    #expect(begun.take() == 2)
    thread.join()
  }

  @Test func `after its end nothing is taken and no thread waits`() throws {
    let work = OrderedWork<UInt64>(pieces: 1_000, window: 8)
    let started = try start(work, threads: 3)
    #expect(work.take() == 0)
    work.end()
    for thread in started { thread.join() }
    #expect(work.take() == nil)
    #expect(!work.hand(1, of: 1))
  }
}
