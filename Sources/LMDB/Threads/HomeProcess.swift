#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process that something was made in, which a child of a fork is not.
public struct HomeProcess: Sendable {
  private let number = getpid()

  /// This process.
  public init() {}

  /// Whether another process asks. No lock is needed for it: a fork may have copied one while it was held.
  public var isLeft: Bool { getpid() != number }
}
