import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An action that replaces the immediate end of the command on interruption, while this value exists.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  /// Runs `body` at Ctrl-C, and when the system asks the command to end.
  init(_ body: @escaping @Sendable () -> Void) {
    // A hang-up keeps its default: under nohup it is ignored, and a kill is safe at any moment.
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        body()
        // A second interruption ends the command at once, without waiting for the end of a step.
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
