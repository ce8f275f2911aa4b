import Foundation
import LMDB
import Synchronization
import Testing

@Suite struct `A writer's thread` {
  @Test func `jobs run in order, and all of them before it ends`() throws {
    let thread = try WriterThread(name: "writer")
    let seen = Mutex<[Int]>([])
    for number in 0..<1000 { thread.submit { seen.withLock { $0.append(number) } } }
    thread.stop()
    #expect(seen.withLock { $0 } == Array(0..<1000))
  }

  @Test func `all jobs run on one thread, which is not the caller's`() throws {
    let thread = try WriterThread(name: "writer")
    let seen = Mutex<Set<UInt>>([])
    for _ in 0..<10 {
      thread.submit { seen.withLock { _ = $0.insert(UInt(bitPattern: Int(pthread_self()))) } }
    }
    thread.stop()
    let threads = seen.withLock { $0 }
    #expect(threads.count == 1)
    #expect(!threads.contains(UInt(bitPattern: Int(pthread_self()))))
  }

  @Test func `a stopped thread refuses jobs`() throws {
    let thread = try WriterThread(name: "writer")
    thread.stop()
    thread.stop()
    #expect(!thread.submit {})
  }

  @Test func `a job may stop its own thread`() async throws {
    let thread = try WriterThread(name: "writer")
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      thread.submit {
        thread.stop()
        done.resume()
      }
    }
    #expect(!thread.submit {})
  }

  @Test func `many threads may submit to one`() async throws {
    let thread = try WriterThread(name: "writer")
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 { thread.submit { counter.count.withLock { $0 += 1 } } }
        }
      }
    }
    thread.stop()
    #expect(counter.count.withLock { $0 } == 4000)
  }
}

/// A number that many threads add to.
private final class Counter: Sendable {
  let count = Mutex(0)
}
