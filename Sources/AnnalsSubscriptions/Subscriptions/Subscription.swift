public import AnnalsCoding
internal import AnnalsLog

/// An entry of a subscription, with the checkpoint to keep when it is finished.
public struct SubscribedEntry<Value: Sendable>: Sendable {
  /// The entry.
  public let entry: Value
  /// The checkpoint after which a later subscription continues once this entry is finished. It is after the
  /// entry. For parts of a split, the last part delivered has the checkpoint after the whole entry, and the
  /// others have the checkpoint before it.
  public let checkpoint: Checkpoint
  /// The checkpoint of the entry in the log, whichever part this is.
  let place: Checkpoint
}

/// An asynchronous sequence of the entries after a place, followed by new entries as they are appended.
///
/// ```swift
/// for try await element in store.subscribe(from: .end, to: [\.orderPlaced]) {
///   print(element.entry.position, element.entry.event)
/// }
/// ```
///
/// The sequence ends only when its task is cancelled. It reads a page of entries at a time. The snapshot of
/// each page ends before the first entry of the page is delivered, so a slow loop holds no reader slot and no
/// page of the file.
///
/// The subscription waits for appends of this process without polling; it sees those of others within a few
/// milliseconds. Every entry is delivered once and in order, even across the change from stored to new
/// entries and across a migration pass. The subscription keeps the store open.
///
/// Each iterator begins at the same place.
public struct Subscription<Value: Sendable>: AsyncSequence, Sendable {
  /// An entry with its checkpoint.
  public typealias Element = SubscribedEntry<Value>
  /// The error that stops the sequence.
  public typealias Failure = AnnalsError

  private var all: AsyncEntries<FollowStep<Value>>

  init(_ all: AsyncEntries<FollowStep<Value>>) {
    self.all = all
  }

  /// The same subscription as steps, which also report progress when there is no entry to deliver.
  public var steps: SubscriptionSteps<Value> { SubscriptionSteps(all) }

  /// The limits of a page.
  var limits: PageLimits {
    get { all.limits }
    set { all.limits = newValue }
  }

  /// Creates an iterator that has read nothing yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(steps: steps.makeAsyncIterator()) }

  /// An iterator over the entries of a subscription.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var steps: SubscriptionSteps<Value>.AsyncIterator

    /// Returns the next entry once there is one; `nil` after cancellation of the task, and after an error.
    ///
    /// - Throws: ``AnnalsError`` with code `checkpointMismatch` for a checkpoint that does not match the log,
    ///   `tooManyReaders` or `usedAfterFork`, or the errors of the same read in a snapshot. No entries follow
    ///   an error.
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

/// A step of a subscription.
public enum SubscriptionStep<Value: Sendable>: Sendable {
  /// An entry is delivered.
  case entry(SubscribedEntry<Value>)
  /// Entries were skipped; a later subscription may continue after them.
  case passed(Checkpoint)
  /// All entries of the log were delivered, and the subscription waits for more.
  case caughtUp(Checkpoint)

  /// The checkpoint after which a later subscription continues once the step is finished.
  public var checkpoint: Checkpoint {
    switch self {
    case .entry(let element): element.checkpoint
    case .passed(let checkpoint), .caughtUp(let checkpoint): checkpoint
    }
  }
}

/// The steps of a subscription: its entries, and its progress between them.
///
/// A consumer that keeps the checkpoint of every step stays close to the end of the log, even if none of the
/// entries are for it.
public struct SubscriptionSteps<Value: Sendable>: AsyncSequence, Sendable {
  /// A step.
  public typealias Element = SubscriptionStep<Value>
  /// The error that stops the sequence.
  public typealias Failure = AnnalsError

  private let all: AsyncEntries<FollowStep<Value>>

  init(_ all: AsyncEntries<FollowStep<Value>>) {
    self.all = all
  }

  /// Creates an iterator that has read nothing yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(all: all.makeAsyncIterator()) }

  /// An iterator over the steps of a subscription.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var all: AsyncEntries<FollowStep<Value>>.AsyncIterator

    /// Returns the next step; `nil` after cancellation of the task, and after an error.
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
