import Foundation
import LMDB
import Synchronization
import Testing

@Suite struct `A waiting line` {
  /// Serves `line` on a thread of its own until it is closed, and gives the groups that were taken.
  private func serve(
    _ line: WaitingLine<Int>, gathering count: Int = 1, upTo patience: Int = 50_000_000,
    while fits: @escaping @Sendable (Int) -> Bool = { _ in true },
    _ body: () async throws -> Void
  ) async throws -> [[Int]] {
    let groups = Mutex<[[Int]]>([])
    let thread = try WriterThread(name: "writer") {
      while line.waitForSome() {
        if count > 1 { line.gather(count, upTo: patience) }
        let group = line.take(while: fits)
        groups.withLock { $0.append(group) }
      }
    }
    try await body()
    line.close()
    thread.join()
    return groups.withLock { $0 }
  }

  @Test func `all are served in the order in which they came`() async throws {
    let line = WaitingLine<Int>()
    let groups = try await serve(line) {
      for number in 0..<1000 { #expect(line.join(number)) }
    }
    #expect(groups.flatMap(\.self) == Array(0..<1000))
  }

  @Test func `a closed line takes nobody else`() {
    let line = WaitingLine<Int>()
    line.close()
    line.close()
    #expect(!line.join(1))
    #expect(!line.waitForSome())
  }

  @Test func `whoever leaves is not served`() {
    let line = WaitingLine<Int>()
    for number in 0..<10 { _ = line.join(number) }
    #expect(line.leave { $0 % 2 == 1 } == [1, 3, 5, 7, 9])
    #expect(line.leave { $0 > 10 } == [])
    #expect(line.take { _ in true } == [0, 2, 4, 6, 8])
    line.rejoin([0, 2])
    _ = line.join(9)
    #expect(line.take { _ in true } == [0, 2, 9])
  }

  @Test func `a group ends before the first that does not fit, and has one at least`() {
    let line = WaitingLine<Int>()
    for number in [9, 1, 2, 9, 3] { _ = line.join(number) }
    #expect(line.take { $0 < 5 } == [9, 1, 2])
    #expect(line.take { $0 < 5 } == [9, 3])
    #expect(line.take { $0 < 5 } == [])
  }

  @Test func `gathering waits for as many as are wanted`() async throws {
    let line = WaitingLine<Int>()
    let groups = try await serve(line, gathering: 4, upTo: 20_000_000_000) {
      for number in 0..<4 {
        #expect(line.join(number))
        try await Task.sleep(for: .milliseconds(2))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(groups == [[0, 1, 2, 3]])
  }

  @Test func `gathering ends when its time is over`() async throws {
    let line = WaitingLine<Int>()
    let groups = try await serve(line, gathering: 4) {
      #expect(line.join(1))
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(groups == [[1]])
  }

  @Test func `many threads may join at once`() async throws {
    let line = WaitingLine<Int>()
    let groups = try await serve(line) {
      await withTaskGroup { group in
        for task in 0..<8 {
          group.addTask { for number in 0..<500 { _ = line.join(task * 500 + number) } }
        }
      }
    }
    #expect(groups.flatMap(\.self).sorted() == Array(0..<4000))
  }
}
