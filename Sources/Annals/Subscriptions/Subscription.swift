public import AnnalsCoding

/// What a subscription gives: an entry, and what to keep once it is done with.
public struct SubscribedEntry<Value: Sendable>: Sendable {
  /// The entry.
  public let entry: Value
  /// Where a later subscription goes on when this one is done with: behind the entry; of the parts of a split, behind the whole entry with the last part that is given, and
  /// before it with the others.
  public let checkpoint: Checkpoint
  /// The entry itself as the log has it, whichever part this is.
  let place: Checkpoint
}

/// The entries of a log behind a place, and then those that are appended, as they come.
///
/// ```swift
/// for try await element in store.subscribe(from: .end, to: [\.orderPlaced]) {
///   print(element.entry.position, element.entry.event)
/// }
/// ```
///
/// It has no end but that of its task: where that is cancelled, the loop is over. Entries are read a page at a time, each page in a snapshot of its own that has ended before the
/// first entry of the page is given, so that a slow loop keeps no place among the readers and no page of the file. It waits for appends of this process without polling; those
/// of others are seen within some milliseconds. Every entry comes once and in its order, also where the subscription goes over from what is stored to what is appended, and across a
/// migration pass. It keeps the store open.
///
/// Each iterator begins anew at the same place.
public struct Subscription<Value: Sendable>: AsyncSequence, Sendable {
  /// An entry with its checkpoint.
  public typealias Element = SubscribedEntry<Value>
  /// What stops the sequence.
  public typealias Failure = AnnalsError

  private var all: AsyncEntries<FollowStep<Value>>

  init(_ all: AsyncEntries<FollowStep<Value>>) {
    self.all = all
  }

  /// The same subscription, which also tells how far it has come where there is nothing to give.
  public var steps: SubscriptionSteps<Value> { SubscriptionSteps(all) }

  /// The size of a page.
  var limits: PageLimits {
    get { all.limits }
    set { all.limits = newValue }
  }

  /// An iterator that has read nothing yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(steps: steps.makeAsyncIterator()) }

  /// The entries that a loop has not been given yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var steps: SubscriptionSteps<Value>.AsyncIterator

    /// The next entry, once there is one; `nil` where the task is cancelled, and after an error.
    ///
    /// - Throws: ``AnnalsError`` with code `checkpointMismatch` for a checkpoint that is none of the log as it is, `tooManyReaders` or `usedAfterFork`, or as the same read in a snapshot
    ///   throws: then nothing more comes.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> SubscribedEntry<Value>? {
      while let step = try await steps.next(isolation: actor) {
        if case .entry(let element) = step { return element }
      }
      return nil
    }
  }
}

/// What a subscription does, one step after the other.
public enum SubscriptionStep<Value: Sendable>: Sendable {
  /// It gives an entry.
  case entry(SubscribedEntry<Value>)
  /// It has passed over entries that it does not give; a later subscription may go on behind them.
  case passed(Checkpoint)
  /// It has given everything that the log had, and waits for more.
  case caughtUp(Checkpoint)

  /// Where a later subscription goes on when the step is done with.
  public var checkpoint: Checkpoint {
    switch self {
    case .entry(let element): element.checkpoint
    case .passed(let checkpoint), .caughtUp(let checkpoint): checkpoint
    }
  }
}

/// The steps of a subscription: entries, and how far it has come between them.
///
/// A consumer that keeps every step's checkpoint is not far behind, even if none of the entries is for it.
public struct SubscriptionSteps<Value: Sendable>: AsyncSequence, Sendable {
  /// A step.
  public typealias Element = SubscriptionStep<Value>
  /// What stops the sequence.
  public typealias Failure = AnnalsError

  private let all: AsyncEntries<FollowStep<Value>>

  init(_ all: AsyncEntries<FollowStep<Value>>) {
    self.all = all
  }

  /// An iterator that has read nothing yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(all: all.makeAsyncIterator()) }

  /// The steps that a loop has not been given yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var all: AsyncEntries<FollowStep<Value>>.AsyncIterator

    /// The next step; `nil` where the task is cancelled, and after an error.
    ///
    /// - Throws: As ``Subscription/AsyncIterator/next(isolation:)``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> SubscriptionStep<Value>? {
      switch try await all.next(isolation: actor) {
      case nil: return nil
      case .step(let step): return step
      case .unreadable(let entry, _):
        all.end()
        throw entry.error
      }
    }
  }
}
