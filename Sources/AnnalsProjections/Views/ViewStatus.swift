internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding

/// The status of a view.
public struct ViewStatus: Sendable {
  /// The activity of a view.
  public enum State: Sendable, Equatable {
    /// The program's version is being built, by this process or another.
    case building
    /// It follows the log.
    case following
    /// The view, or the build that is to replace it, has stopped. Open the view again or rebuild it to try
    /// again. After an error that may pass, such as `diskFull`, it tries again by itself every second.
    case stopped(AnnalsError)
    /// The store is open for reading only: rows can be read, and other processes fold them.
    case readOnly

    /// Whether both are the same. Errors are equal if their codes and messages are.
    public static func == (left: State, right: State) -> Bool {
      switch (left, right) {
      case (.building, .building), (.following, .following), (.readOnly, .readOnly): true
      case (.stopped(let left), .stopped(let right)):
        left.code == right.code && left.message == right.message
      default: false
      }
    }
  }

  /// The progress of a view that is being built.
  public struct Progress: Sendable {
    /// The position up to which it has read.
    public let done: UInt64
    /// The last position of the log.
    public let total: UInt64
    /// Entries per second since this process began to build; `nil` if another process builds, or too little
    /// is known.
    public let rate: Double?
    /// The estimated time left at that rate.
    public let remaining: Duration?

    init(done: UInt64, total: UInt64, began: (time: ContinuousClock.Instant, position: UInt64)?) {
      self.done = done
      self.total = max(done, total)
      guard let began, done > began.position else {
        (rate, remaining) = (nil, nil)
        return
      }
      let time = began.time.duration(to: .now)
      let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
      let rate = Double(done - began.position) / max(seconds, 1e-6)
      self.rate = rate
      remaining = .seconds(Double(self.total - done) / rate)
    }
  }

  /// The name of the projection.
  public let name: String
  /// The program's version of the projection.
  public let version: Int
  /// The version whose rows reads show; `nil` if none can be read yet.
  public let servedVersion: Int?
  /// The activity of the view.
  public let state: State
  /// The position up to which reads include everything; `nil` before the first.
  public let position: Position?
  /// The number of positions in the log after that position.
  public let lag: UInt64
  /// The reason for the current or the last rebuild since this process opened the store. `nil` if there was
  /// none, for a first build, and for a raised version.
  public let reason: String?
  /// The progress of the build; `nil` if nothing is being built.
  public let progress: Progress?
}

extension ViewStatus.State: CustomStringConvertible {
  /// A description of the activity.
  public var description: String {
    switch self {
    case .building: "is being built"
    case .following: "follows the log"
    case .stopped(let error): "stopped, \(error.code): \(error.message)"
    case .readOnly: "is read only"
    }
  }
}

extension ViewStatus.Progress: CustomStringConvertible {
  /// A description of the progress, with the rate and the time left if they are known.
  public var description: String {
    var text = "\(done) of \(total) positions"
    if let rate { text += ", \(Int(rate.rounded())) a second" }
    if let remaining { text += ", \(remaining.components.seconds) s left" }
    return text
  }
}

extension ViewStatus: CustomStringConvertible {
  /// The status in one line.
  public var description: String {
    var text = "view '\(name)', version \(version): \(state)"
    if let servedVersion, servedVersion != version { text += "; reads have version \(servedVersion)" }
    if servedVersion == nil { text += "; nothing can be read yet" }
    if let position { text += "; at position \(position), \(lag) to go" }
    if let progress { text += "; built to \(progress)" }
    if let reason { text += "; built again because \(reason)" }
    return text
  }
}
