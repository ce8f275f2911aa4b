#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A state behind a mutex, whose changes threads can wait for.
///
/// `@unchecked Sendable`: `state` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock` of `mutex`; both
/// pointers are constants, made before anybody else sees the object and freed when nobody does.
@safe
final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  /// A monitor that begins with `state`.
  init(_ state: State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    let made = unsafe pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(condition, nil) == 0
    precondition(made, "the system has no more locks")
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Lends the state to `body` while no other thread has it.
  func withLock<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    enter()
    defer { leave() }
    return try body(&state)
  }

  /// Lends the state to `body` again and again, after each `wake`, until it gives a value.
  func wait<R>(_ body: (inout State) -> R?) -> R {
    enter()
    defer { leave() }
    while true {
      if let result = body(&state) { return result }
      let code = unsafe pthread_cond_wait(condition, mutex)
      precondition(code == 0, "a wait without its lock")
    }
  }

  /// Lets every waiting thread look again.
  func wake() {
    unsafe pthread_cond_broadcast(condition)
  }

  private func enter() {
    let code = unsafe pthread_mutex_lock(mutex)
    precondition(code == 0, "a lock that cannot be taken")
  }

  private func leave() {
    let code = unsafe pthread_mutex_unlock(mutex)
    precondition(code == 0, "a lock of another thread")
  }
}

/// The number of the thread that asks.
func currentThread() -> UInt {
  #if canImport(Darwin)
    unsafe UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
