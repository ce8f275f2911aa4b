import Foundation
import LMDB
import Synchronization
import Testing

@Suite struct `A writer's thread` {
  @Test func `work runs on a thread of its own, and join waits for its end`() throws {
    let seen = Mutex<[UInt]>([])
    let thread = try WriterThread(name: "writer") {
      WriterThread.pause(milliseconds: 20)
      seen.withLock { $0.append(UInt(bitPattern: Int(pthread_self()))) }
    }
    thread.join()
    thread.join()
    #expect(seen.withLock { $0.count } == 1)
    #expect(seen.withLock { $0.first } != UInt(bitPattern: Int(pthread_self())))
  }

  @Test func `a thread that is let go ends by itself`() async throws {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      do {
        let thread = try WriterThread(name: "writer") {
          WriterThread.pause(milliseconds: 20)
          done.resume()
        }
        thread.letGo()
      } catch {
        Issue.record(error)
        done.resume()
      }
    }
  }
}
