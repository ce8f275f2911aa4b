/// How far a migration pass has come.
public struct MigrationProgress: Hashable, Codable, Sendable {
  /// What is being done.
  public enum Phase: String, Hashable, Codable, Sendable {
    /// Looks at what there is to do, and at the space for it.
    case preparing
    /// Copies entries, those that have a newer form in that form.
    case copying
    /// Copies what leads to the streams.
    case indexing
    /// Waits for the disk, and looks at each page of the new file.
    case checking
    /// Compares what both generations deliver.
    case comparing
    /// Lets the plan's stages compare the log with what it becomes.
    case verifying
    /// Copies what was appended meanwhile.
    case following
    /// Seals the old generation.
    case switching
    /// Is over.
    case finished
  }

  /// Why nothing happens for the moment.
  public enum Pause: String, Hashable, Codable, Sendable {
    /// Somebody has asked for it.
    case asked
    /// The rate is limited.
    case rate
    /// A writer is at work.
    case writers
  }

  /// What is being done.
  public var phase: Phase
  /// How many entries the phase is done with.
  public var done: UInt64
  /// How many entries there are, by the newest look at the log.
  public var total: UInt64
  /// How many entries a second, over the last seconds; 0 before there is an answer.
  public var rate: Double
  /// How many seconds the phase will take at this rate; `nil` before there is an answer.
  public var remaining: Double?
  /// Why nothing happens for the moment; `nil` where something does.
  public var pause: Pause?

  /// Nothing done yet.
  public init(phase: Phase = .preparing, done: UInt64 = 0, total: UInt64 = 0) {
    self.phase = phase
    self.done = done
    self.total = total
    rate = 0
  }
}
