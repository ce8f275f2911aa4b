/// Decides the next step of a pass, without doing anything itself.
///
/// The order makes it safe: the new file is whole, checked and compared before anybody waits for it, and the
/// remaining work while writers wait does not depend on the length of the log (docs/durability.md).
struct PassMachine: Equatable, Sendable {
  /// One step of a pass.
  enum Step: Equatable, Sendable {
    /// Copies the entries at these positions, with a commit now and then.
    case copy(ClosedRange<UInt64>)
    /// Copies the rows of `streams` and `heads` as they are now.
    case copyHeads
    /// Writes the heads of the copied tail into their rows.
    case mergeHeads
    /// Waits for the disk, closes the new file, checks each of its pages, and opens it again.
    case check
    /// Compares the events of both generations at these positions.
    case compare(ClosedRange<UInt64>)
    /// Runs the `verify` of the plan's stages, which compares the older log with its upcast form.
    case verify
    /// Copies the entries appended meanwhile, with one durable commit.
    case follow(ClosedRange<UInt64>)
    /// Does the same while writers are kept waiting for half of the time, and seals once nothing is left.
    case slow(ClosedRange<UInt64>)
    /// Copies the rest and seals the old generation, while writers wait.
    case seal
  }

  /// The facts of a decision.
  struct Sight: Equatable, Sendable {
    /// The position of the old generation's newest entry; 0 where it has none.
    var last: UInt64
  }

  /// Work that takes less than this is done while writers wait.
  static let shortRound = Duration.milliseconds(10)

  /// A round of copying.
  private struct Round: Equatable, Sendable {
    let count: UInt64
    let took: Duration

    /// How long so many entries are likely to take.
    func likely(_ count: UInt64) -> Duration { took / Double(max(self.count, 1)) * Double(count) }
  }

  /// The position up to which entries are copied.
  private(set) var copied: UInt64
  /// The position that the copy must reach before the rows of `heads`, which include it, may be used.
  private(set) var needed: UInt64 = 0
  private let goal: UInt64
  /// Whether the rows of `streams` and `heads` are there.
  private(set) var hasHeads = false
  private var isMerged = false
  private var isChecked = false
  private var isVerified = false
  /// The position up to which both generations are known to be the same.
  private(set) var compared: UInt64 = 0
  private var lastRound: Round?
  private var roundBefore: Round?

  /// Creates a pass that has copied the entries up to `copied`; 0 at its beginning.
  ///
  /// - Parameter goal: The newest entry when it begins, up to which entries are copied first. Later ones are
  ///   left to the rounds, or a busy writer would never let the first copy end.
  init(copied: UInt64, goal: UInt64) {
    self.copied = copied
    self.goal = goal
  }

  /// Returns the next step.
  func next(_ sight: Sight) -> Step {
    guard isMerged else {
      if !hasHeads { return copied < goal ? .copy(copied + 1...goal) : .copyHeads }
      // Rows must not include entries that are not there.
      return copied < needed ? .copy(copied + 1...needed) : .mergeHeads
    }
    if !isChecked { return .check }
    if compared < copied { return .compare(compared + 1...copied) }
    if !isVerified { return .verify }
    guard copied < sight.last else { return .seal }
    let range = copied + 1...sight.last
    guard let last = lastRound else { return .follow(range) }
    if last.likely(sight.last - copied) < Self.shortRound { return .seal }
    // The pass never catches up with a writer that is as fast as that.
    if let before = roundBefore, last.took >= before.took { return .slow(range) }
    return .follow(range)
  }

  /// Notes that entries are copied up to `position`, which may be less than was asked for.
  mutating func copy(upTo position: UInt64) {
    copied = max(copied, position)
  }

  /// Notes that the rows of `streams` and `heads` are there, as a snapshot has them whose newest entry is at
  /// `last`.
  mutating func copyHeads(last: UInt64) {
    hasHeads = true
    needed = last
  }

  /// Notes that the heads of the tail are merged.
  mutating func merge() { isMerged = true }

  /// Notes that the file is on disk, and sound.
  mutating func check() { isChecked = true }

  /// Notes that both generations deliver the same up to `position`.
  mutating func compare(upTo position: UInt64) { compared = max(compared, position) }

  /// Notes that the plan's stages have found nothing wrong.
  mutating func verify() { isVerified = true }

  /// Notes a round.
  mutating func follow(upTo position: UInt64, took: Duration) {
    roundBefore = lastRound
    lastRound = Round(count: position - copied, took: took)
    copy(upTo: position)
  }
}
