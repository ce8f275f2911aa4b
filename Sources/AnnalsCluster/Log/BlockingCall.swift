internal import LMDB

/// Calls that block, on threads of their own: a thread of the concurrency pool that waits for a server could
/// stop a program.
enum BlockingCall {
  /// Runs `body` on a new thread and returns its result; `nil` if the system has no thread.
  static func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R? {
    await withCheckedContinuation { (continuation: CheckedContinuation<R?, Never>) in
      do throws(StoreFileError) {
        try WriterThread(name: "annals-ask") { continuation.resume(returning: body()) }.letGo()
      } catch {
        continuation.resume(returning: nil)
      }
    }
  }
}
