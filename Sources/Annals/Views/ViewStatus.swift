public import AnnalsCoding

/// What a view is doing.
public struct ViewStatus: Sendable {
  /// What it does.
  public enum State: Sendable, Equatable {
    /// The program's version is being built, by this process or another.
    case building
    /// It follows the log.
    case following
    /// It goes no further, or what is built in the place of the rows that are read does not; opening the view again or rebuilding it tries anew. After an error that may pass, such as
    /// `diskFull`, it tries again by itself every second.
    case stopped(AnnalsError)
    /// The store is open for reading only: rows can be read, and others fold them.
    case readOnly

    /// Whether both are the same; errors are where their codes and messages are.
    public static func == (left: State, right: State) -> Bool {
      switch (left, right) {
      case (.building, .building), (.following, .following), (.readOnly, .readOnly): true
      case (.stopped(let left), .stopped(let right)):
        left.code == right.code && left.message == right.message
      default: false
      }
    }
  }

  /// How far a view has come that is being built.
  public struct Progress: Sendable {
    /// The position that it has read to.
    public let done: UInt64
    /// The last position of the log.
    public let total: UInt64
    /// Entries in a second, since this process began to build; `nil` where another process builds, or too little is known.
    public let rate: Double?
    /// How long it will take at that rate.
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
  /// The version that the program has.
  public let version: Int
  /// The version whose rows are read; `nil` where none can be read yet.
  public let servedVersion: Int?
  /// What it does.
  public let state: State
  /// The position up to which the rows that are read have taken in everything; `nil` before the first.
  public let position: Position?
  /// How many positions the log has beyond that.
  public let lag: UInt64
  /// Why the view is being built anew, or was last as long as this process has the store open; `nil` where it was not, or for the first time or under a raised version.
  public let reason: String?
  /// How far the build has come; `nil` where nothing is built.
  public let progress: Progress?
}

extension ViewStatus.State: CustomStringConvertible {
  /// What the view does, in words.
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
  /// How far the build has come, with the rate and the time that is left where they are known.
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
