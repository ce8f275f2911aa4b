internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB

/// Threads on which the tasks of members run.
///
/// A blocking append keeps one of the few threads that all tasks of a process share. If every one of them
/// waited for a verdict, no task could bring it. So tasks that publish and follow have threads of their own.
final class TaskThreads: TaskExecutor, Sendable {
  /// The number of threads: one may apply a long batch while calls are published.
  private static let count = 2

  /// The threads of this process, which never end; the threads of all tasks if the system has no more.
  static let shared: TaskThreads? = try? TaskThreads()

  private let jobs = Monitor<[UnownedJob]>([])

  private init() throws(AnnalsError) {
    let jobs = jobs
    for _ in 0..<Self.count {
      try files { () throws(StoreFileError) in
        try WriterThread(name: "annals-cluster") { [weak self] in
          while true {
            let job = jobs.wait { $0.isEmpty ? nil : $0.removeFirst() }
            // The threads are those of a value that is never released.
            if let self { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
          }
        }
      }.letGo()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    jobs.wake()
  }
}
