import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that does one piece of work and ends.
///
/// LMDB's write transactions belong to the thread that began them; a task may change threads at any `await`.
public final class WriterThread: Sendable {
  private let process = getpid()
  /// The thread, until it is joined or detached.
  private let thread: Monitor<pthread_t?>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The name for debuggers, at most 15 bytes.
  ///   - work: The work. The thread retains the captures of `work` until that returns.
  /// - Throws: `system` if the system has no more threads.
  public init(name: String, _ work: @escaping @Sendable () -> Void) throws(StoreFileError) {
    thread = Monitor(nil)
    var attributes = pthread_attr_t()
    // The default of some systems is too small for Swift's use of the stack.
    let prepared =
      unsafe pthread_attr_init(&attributes) == 0
      && pthread_attr_setstacksize(&attributes, 4 << 20) == 0
    defer { unsafe pthread_attr_destroy(&attributes) }
    guard prepared else { throw .system(call: "pthread_attr_init", file: name, errno: ENOMEM) }
    let start = unsafe Unmanaged.passRetained(Start(work: work, name: name))
    #if canImport(Darwin)
      var created: pthread_t?
    #else
      var created = pthread_t()
    #endif
    let code = unsafe pthread_create(&created, &attributes, Start.run, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      throw .system(call: "pthread_create", file: name, errno: code)
    }
    thread.withLock { $0 = created }
  }

  deinit { letGo() }

  /// Waits until the work is done. A call from the thread itself, or a second call, does nothing.
  public func join() {
    end { thread in
      let code =
        pthread_equal(thread, pthread_self()) != 0 ? pthread_detach(thread) : pthread_join(thread, nil)
      precondition(code == 0, "a thread that cannot be ended")
    }
  }

  /// Lets the thread end by itself.
  public func letGo() {
    end { thread in
      let code = pthread_detach(thread)
      precondition(code == 0, "a thread that cannot be let go")
    }
  }

  /// Pauses the calling thread.
  public static func pause(milliseconds: UInt32) { pause(microseconds: milliseconds * 1000) }

  /// Pauses the calling thread, also for less than a millisecond.
  static func pause(microseconds: UInt32) {
    // A signal ends the pause early, which is harmless.
    _ = usleep(microseconds)
  }

  /// Lowers the calling thread's priority so that it only runs when other threads leave it time
  /// (`setpriority(2)`, niceness 19).
  public static func yieldToOthers() {
    // A thread that keeps its priority does the same work.
    _ = lmdb_set_thread_niceness(19)
  }

  private func end(_ body: (pthread_t) -> Void) {
    // A child process has no copy of the thread, and would wait for its end forever.
    guard getpid() == process else { return }
    let thread: pthread_t? = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread { body(thread) }
  }
}

/// The arguments for a new thread.
private final class Start {
  let work: @Sendable () -> Void
  let name: String

  init(work: @escaping @Sendable () -> Void, name: String) {
    self.work = work
    self.name = name
  }

  func begin() {
    // A thread without its name works as well, so the result of the call does not matter.
    _ = unsafe lmdb_name_thread(name)
    work()
  }

  #if canImport(Darwin)
    static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { start in
      unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().begin()
      return nil
    }
  #else
    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { start in
      guard let start = unsafe start else { return nil }
      unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().begin()
      return nil
    }
  #endif
}
