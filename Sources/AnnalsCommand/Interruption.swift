import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is done when somebody interrupts the command, in place of ending it at once; as long as this lives.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  /// Does `body` at Ctrl-C, and when the system asks the command to end.
  init(_ body: @escaping @Sendable () -> Void) {
    // A hang-up stays what it was: under nohup it is ignored, and a kill is safe at any moment.
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        body()
        // Who asks twice does not want to wait for the end of a step.
        signal(number, SIG_DFL)
      }
      source.activate()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
