import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that runs jobs one after another, in the order in which they were submitted.
///
/// LMDB's write transactions belong to the thread that began them, which a task may leave at any `await`.
public final class WriterThread: Sendable {
  /// What the thread and those who submit share.
  struct Queue: Sendable {
    var jobs: [@Sendable () -> Void] = []
    var isSleeping = false
    var isStopping = false
    var thread: pthread_t?
  }

  private let process = getpid()
  /// The queue outlives this object while the thread drains it.
  private let queue: Monitor<Queue>

  /// Starts the thread.
  ///
  /// - Parameter name: What debuggers show, at most 15 bytes.
  /// - Throws: `system` if the system has no more threads.
  public init(name: String) throws(StoreFileError) {
    let queue = Monitor(Queue())
    self.queue = queue
    var attributes = pthread_attr_t()
    // The default of some systems is too small for what Swift keeps on a stack.
    let prepared =
      unsafe pthread_attr_init(&attributes) == 0
      && pthread_attr_setstacksize(&attributes, 4 << 20) == 0
    defer { unsafe pthread_attr_destroy(&attributes) }
    guard prepared else { throw .system(call: "pthread_attr_init", file: name, errno: ENOMEM) }
    let start = unsafe Unmanaged.passRetained(Start(queue: queue, name: name))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = unsafe pthread_create(&thread, &attributes, Start.run, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      throw .system(call: "pthread_create", file: name, errno: code)
    }
    queue.withLock { $0.thread = thread }
  }

  deinit { stop() }

  /// Adds a job behind those that wait.
  ///
  /// - Returns: Whether it will run; `false` after ``stop()``.
  @discardableResult
  public func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
    let (accepted, wakes) = queue.withLock { queue in
      guard !queue.isStopping else { return (false, false) }
      queue.jobs.append(job)
      // A wake costs a system call, so only a sleeping thread gets one, and only once.
      let wakes = queue.isSleeping
      queue.isSleeping = false
      return (true, wakes)
    }
    if wakes { queue.wake() }
    return accepted
  }

  /// Runs what was submitted, then ends the thread and waits for its end.
  ///
  /// Called from the thread itself it does not wait: the thread ends after its last job. Calling it again does nothing.
  public func stop() {
    // A child has no copy of the thread, and would wait for its end for ever.
    guard getpid() == process else { return }
    let thread: pthread_t? = queue.withLock { queue in
      queue.isStopping = true
      defer { queue.thread = nil }
      return queue.thread
    }
    queue.wake()
    guard let thread else { return }
    let isOwn = pthread_equal(thread, pthread_self()) != 0
    let code = isOwn ? pthread_detach(thread) : pthread_join(thread, nil)
    precondition(code == 0, "a thread that cannot be ended")
  }
}

/// What a new thread is given.
private final class Start {
  let queue: Monitor<WriterThread.Queue>
  let name: String

  init(queue: Monitor<WriterThread.Queue>, name: String) {
    self.queue = queue
    self.name = name
  }

  #if canImport(Darwin)
    static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { start in
      unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().work()
      return nil
    }
  #else
    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { start in
      guard let start = unsafe start else { return nil }
      unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().work()
      return nil
    }
  #endif

  func work() {
    // A thread without its name works as well, so what the call returns changes nothing.
    _ = unsafe lmdb_name_thread(name)
    while true {
      let jobs = queue.wait { queue -> [@Sendable () -> Void]? in
        guard queue.jobs.isEmpty else {
          defer { queue.jobs = [] }
          return queue.jobs
        }
        queue.isSleeping = !queue.isStopping
        return queue.isStopping ? [] : nil
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
  }
}
