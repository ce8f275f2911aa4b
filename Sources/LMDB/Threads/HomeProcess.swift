import CAnnals

/// The process in which an object was created; a forked child is another one.
public struct HomeProcess: Sendable {
  private let number = annals_process()

  /// This process.
  public init() {}

  /// Whether the caller is another process. This needs no lock, because a fork may have copied a lock while
  /// it was held.
  public var isLeft: Bool { annals_process() != number }
}
