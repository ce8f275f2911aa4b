// Its header includes <pthread.h>, and a build of the whole module confuses the types with its own.
import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A state protected by a mutex, for whose changes threads can wait.
///
/// `@unchecked Sendable`: `state` is accessed only between `pthread_mutex_lock` and `pthread_mutex_unlock` of
/// `mutex`. Both pointers are constants, created before any other thread sees the object and freed after the
/// last one has released it.
@safe
package final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  @usableFromInline var state: State

  /// Creates a monitor with the initial `state`.
  package init(_ state: State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    let made = unsafe pthread_mutex_init(mutex, nil) == 0 && Self.makeCondition(condition)
    precondition(made, "the system has no more locks")
  }

  private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Bool {
    #if canImport(Darwin)
      return unsafe pthread_cond_init(condition, nil) == 0
    #else
      var attributes = pthread_condattr_t()
      guard unsafe pthread_condattr_init(&attributes) == 0 else { return false }
      defer { unsafe pthread_condattr_destroy(&attributes) }
      // A monotonic clock: a wait must not become a day longer because the date was corrected.
      return unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0
        && pthread_cond_init(condition, &attributes) == 0
    #endif
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Calls `body` with the state while no other thread has access.
  @inlinable package func withLock<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E)
    -> R
  {
    enter()
    defer { leave() }
    return try body(&state)
  }

  /// Calls `body` with the state, and again after each `wake`, until it returns a value.
  @inlinable package func wait<R>(_ body: (inout State) -> R?) -> R {
    enter()
    defer { leave() }
    while true {
      if let result = body(&state) { return result }
      sleep()
    }
  }

  /// Calls `body` with the state, and again after each `wake`, until it returns a value or the time has
  /// expired.
  ///
  /// - Parameter nanoseconds: The longest time to wait.
  /// - Returns: `nil` if `body` returned no value even then.
  @inlinable package func wait<R>(upTo nanoseconds: Int, _ body: (inout State) -> R?) -> R? {
    enter()
    defer { leave() }
    let end = Self.now() + nanoseconds
    while true {
      if let result = body(&state) { return result }
      guard Self.now() < end else { return nil }
      sleep(until: end)
    }
  }

  /// Releases the lock until another thread wakes this one.
  @usableFromInline func sleep() {
    let code = unsafe pthread_cond_wait(condition, mutex)
    precondition(code == 0, "a wait without its lock")
  }

  /// Releases the lock until another thread wakes this one, or the time has expired.
  @usableFromInline func sleep(until end: Int) {
    #if canImport(Darwin)
      let rest = max(end - Self.now(), 0)
      var time = timespec(tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000)
      let code = unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
    #else
      var time = timespec(tv_sec: end / 1_000_000_000, tv_nsec: end % 1_000_000_000)
      let code = unsafe pthread_cond_timedwait(condition, mutex, &time)
    #endif
    precondition(code == 0 || code == ETIMEDOUT, "a wait without its lock")
  }

  @usableFromInline static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Wakes all waiting threads to check the state again.
  package func wake() {
    unsafe pthread_cond_broadcast(condition)
  }

  @usableFromInline func enter() {
    let code = unsafe pthread_mutex_lock(mutex)
    precondition(code == 0, "a lock that cannot be taken")
  }

  @usableFromInline func leave() {
    let code = unsafe pthread_mutex_unlock(mutex)
    precondition(code == 0, "a lock of another thread")
  }
}

/// Returns the number of the calling thread.
func currentThread() -> UInt {
  #if canImport(Darwin)
    unsafe UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
