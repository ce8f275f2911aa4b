/// The progress of a migration pass.
public struct MigrationProgress: Hashable, Codable, Sendable {
  /// The phase of a pass.
  public enum Phase: String, Hashable, Codable, Sendable {
    /// Checks the work to do, and the space for it.
    case preparing
    /// Copies entries, in their newer form if they have one.
    case copying
    /// Copies the rows that lead to the streams.
    case indexing
    /// Waits for the disk, and checks each page of the new file.
    case checking
    /// Compares the events of both generations.
    case comparing
    /// Runs the `verify` of the plan's stages, which compares the log with its upcast form.
    case verifying
    /// Copies the entries appended meanwhile.
    case following
    /// Seals the old generation.
    case switching
    /// Has ended.
    case finished
  }

  /// The reason for a pause.
  public enum Pause: String, Hashable, Codable, Sendable {
    /// It was requested.
    case asked
    /// The rate is limited.
    case rate
    /// A writer is at work.
    case writers
  }

  /// The current phase.
  public var phase: Phase
  /// The number of entries that the phase has done.
  public var done: UInt64
  /// The total number of entries, by the newest look at the log.
  public var total: UInt64
  /// The number of entries in a second, over the last seconds; 0 while unknown.
  public var rate: Double
  /// The estimated number of seconds until the phase ends; `nil` while unknown.
  public var remaining: Double?
  /// The reason for a pause; `nil` if the pass is working.
  public var pause: Pause?

  /// Creates the progress of a pass that has done nothing yet.
  public init(phase: Phase = .preparing, done: UInt64 = 0, total: UInt64 = 0) {
    self.phase = phase
    self.done = done
    self.total = total
    rate = 0
  }
}
