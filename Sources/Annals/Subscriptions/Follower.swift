internal import AnnalsCoding

/// How much a subscription reads in one snapshot.
struct FollowRoom: Sendable {
  /// The most entries that are given.
  var entries = 256
  /// The most entries that are looked at: those that a filter hides cost little.
  var looks = 16_384
  /// How many stored bytes of entries that are given fill a page.
  var bytes = 1 << 20
}

/// Where a subscription stands in the log. It holds no snapshot.
struct FollowPlace: Sendable {
  /// The checkpoint behind everything that was looked at.
  var checkpoint: Checkpoint
  /// Entries up to this position are passed over.
  var floor: UInt64 = 0
  /// The names met on the way.
  var names = StreamNames()
}

/// What a subscription has read: something to tell, or an entry that could not be read.
enum FollowStep<Value: Sendable>: Sendable {
  case step(SubscriptionStep<Value>)
  case poison(PoisonEntry)
}

/// An entry that is stored and that the plan cannot read.
struct PoisonEntry: Sendable {
  let position: Position
  let stream: StreamName
  let error: AnnalsError
  /// The checkpoint behind it.
  let checkpoint: Checkpoint
}

/// The next part of the log, copied out of a snapshot that has ended.
struct FollowPage<Value: Sendable>: Sendable {
  var steps: [FollowStep<Value>] = []
  /// Where the subscription stands behind it.
  var place: FollowPlace
  /// Whether the log had nothing behind it.
  var isLast = false
  /// What is to be thrown behind the steps.
  var failure: AnnalsError?
}

/// A subscription on its way: what has been read, and how more is waited for.
struct Follower<Value: Sendable>: Sendable {
  /// Finds the place to begin at.
  typealias Begin = @Sendable () throws(AnnalsError) -> FollowPlace
  /// Reads a page behind a place.
  typealias Read = @Sendable (FollowPlace, FollowRoom) throws(AnnalsError) -> FollowPage<Value>

  private let core: LogCore
  private let begin: Begin
  private let read: Read
  private(set) var room = FollowRoom()
  private var place: FollowPlace?
  /// The checkpoint that was told last as that of the end.
  private var end: Checkpoint?
  /// The wait for more entries.
  private var wait = CommitWait()
  private var failure: AnnalsError?

  init(_ core: LogCore, _ begin: @escaping Begin, _ read: @escaping Read) {
    self.core = core
    self.begin = begin
    self.read = read
  }

  /// The same with pages of another size.
  func with(_ room: FollowRoom) -> Follower {
    var other = self
    other.room = room
    return other
  }

  /// What comes next, the last step first, and the subscription behind it; nothing where the task is cancelled.
  ///
  /// It runs on no actor, because a page that is not in memory waits for the disk.
  @concurrent func next() async throws(AnnalsError) -> (Follower?, [FollowStep<Value>]) {
    var (rest, wait) = (self, wait)
    let steps = try await wait.first(in: core) { () throws(AnnalsError) -> [FollowStep<Value>]? in
      try rest.turn()
    }
    guard let steps else { return (nil, []) }
    rest.wait = wait
    return (rest, steps)
  }

  /// Reads one page; `nil` where the log has nothing that was not told.
  private mutating func turn() throws(AnnalsError) -> [FollowStep<Value>]? {
    if let failure { throw failure }
    let start: FollowPlace
    if let place { start = place } else { start = try begin() }
    var page = try read(start, room)
    place = page.place
    failure = page.failure
    let checkpoint = page.place.checkpoint
    if failure == nil {
      if page.isLast {
        if end != checkpoint { page.steps.append(.step(.caughtUp(checkpoint))) }
        end = checkpoint
      } else if page.steps.isEmpty || page.steps.last?.checkpoint != checkpoint {
        page.steps.append(.step(.passed(checkpoint)))
      }
    }
    if page.steps.isEmpty {
      if let failure { throw failure }
      return nil
    }
    page.steps.reverse()
    return page.steps
  }
}

extension FollowStep {
  /// Where a later subscription goes on behind it.
  var checkpoint: Checkpoint {
    switch self {
    case .step(let step): step.checkpoint
    case .poison(let poison): poison.checkpoint
    }
  }
}
