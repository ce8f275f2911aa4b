internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// The runner of one view's file in this process: it folds the pages of the log into the file, in turns.
///
/// The view's machine decides what becomes of each page and error; the runner performs it.
///
/// `@unchecked Sendable`: the variables are accessed only in ``turn(_:_:)`` and ``end(_:)``. The registry's
/// desk gives a runner to one worker at a time, from `takeTurn` to `endTurn` or `remove`, and the desk's lock
/// orders the turns.
final class ViewRunner<Event: SchemaEvent>: @unchecked Sendable {
  /// The time for which a checkpoint that has passed only entries of no concern may stay unstored.
  private static var patience: Duration { .milliseconds(100) }
  /// The time without work after which it frees the memory of rows.
  private static var idleTime: Duration { .seconds(2) }
  /// The nanoseconds that a batch waits for the next page of a call, or while a file is built.
  private static var wait: Int { 20_000_000 }

  let number: Int
  let view: RegisteredView<Event>
  let file: ViewFile
  /// The time and the position at which it began, for its rate.
  let began: (time: ContinuousClock.Instant, position: UInt64)
  private let registry: ViewRegistry<Event>
  private let folding: ViewFolding<Event>
  /// The right to fold; `nil` once the runner has ended.
  private var lease: FoldLease?
  /// The rows of an earlier version to convert; `nil` if there are none, or once they are converted.
  private var seed: RowSeed?
  /// The checkpoint up to which the file has read.
  private var stored: Checkpoint?
  /// The time of the last work.
  private var lastWork = ContinuousClock.now
  /// Whether the memory of rows is to be freed later.
  private var isToFree = false
  /// The size of the last map that was too small for a batch.
  private var outgrown = 0
  /// The last page without entries for the view beyond that, and since when such pages have come; `nil` if
  /// everything is stored.
  private var waiting: (page: ViewPage<Event>, since: ContinuousClock.Instant)?

  /// Creates a runner at a checkpoint.
  init(
    _ number: Int, _ view: RegisteredView<Event>, _ file: ViewFile, _ lease: FoldLease, _ seed: RowSeed?,
    at checkpoint: Checkpoint?, in registry: ViewRegistry<Event>
  ) {
    self.number = number
    self.view = view
    self.file = file
    self.lease = lease
    self.seed = seed
    self.registry = registry
    stored = checkpoint
    began = (.now, checkpoint?.position.rawValue ?? 0)
    let places = LogPlaces(
      checkpoint: { [registry] (position) throws(AnnalsError) in try registry.checkpoint(at: position) },
      endOfCall: { [registry] (position) throws(AnnalsError) in try registry.endOfCall(at: position) })
    folding = view.projection.folding(file, registry.budget, places)
    file.releaseLease()
  }

  private var position: UInt64 { stored?.position.rawValue ?? 0 }

  /// Does the work of one turn.
  func turn(_ tasks: RunnerTasks, _ page: ViewPage<Event>?) {
    if tasks.contains(.convert) { convert() }
    if let page { take(page.seen(by: view.projection.selection.cases)) }
    if tasks.contains(.store) { report(.patienceOver(file.number)) }
    if tasks.contains(.free) { isToFree = false }
    let isIdle = tasks == .free && page == nil && lastWork.duration(to: .now) >= Self.idleTime
    if isIdle {
      folding.free()
      return ViewMemory.giveBack()
    }
    if tasks != .free || page != nil { lastWork = .now }
    if folding.keepsRows, !isToFree {
      isToFree = true
      registry.later(.free(runner: number), after: Self.idleTime)
    }
  }

  /// Ends its work, and releases the file.
  func end(_ tasks: RunnerTasks) {
    if tasks.contains(.end), let waiting {
      // A page that cannot be stored now is read again.
      _ = try? folding.fold(waiting.page, from: stored, .relaxed) { _ in nil }
    }
    waiting = nil
    folding.free()
    file.retakeLease()
    lease = nil
  }

  /// Begins with the rows of an earlier version.
  private func convert() {
    guard let seed else { return }
    self.seed = nil
    do throws(AnnalsError) {
      let registry = registry
      stored = try folding.carry(seed) { registry.isEnding }
      if registry.isEnding { return }
      report(.converted(file.number, to: position))
    } catch {
      report(.failed(file.number, error))
    }
  }

  private func take(_ page: ViewPage<Event>) {
    let known = waiting?.page.end.position.rawValue ?? position
    let mayWait =
      file.isSynced.load(ordering: .relaxed) && isOfNoConcern(page, after: known) && registry.isLive(self)
    let isUrgent = waiting.map { $0.since.duration(to: .now) > Self.patience } ?? false
    let facts = ViewPageFacts(
      start: page.start, end: page.end.position.rawValue, isLast: page.isLast,
      failure: page.failure?.position.rawValue, mayWait: mayWait, isUrgent: isUrgent)
    report(.page(file.number, facts), page)
  }

  /// Whether a page has no entry for the view.
  private func isOfNoConcern(_ page: ViewPage<Event>, after position: UInt64) -> Bool {
    let selection = view.projection.selection
    return !page.entries.contains { $0.position.rawValue > position && selection.includes($0) }
  }

  /// Reports an event to the view's machine, and performs the effects.
  private func report(_ event: ViewEvent, _ page: ViewPage<Event>? = nil) {
    for effect in registry.decide(event, view) {
      switch effect {
      case .fold(_, let poison): if let page { fold(page, before: poison) }
      case .wait: if let page { wait(with: page) }
      case .store: if let waiting { fold(waiting.page, before: nil) }
      case .finish: finish()
      case .compare: compare()
      case .replace: replace()
      default: registry.carryOut(effect, view)
      }
    }
  }

  private func wait(with page: ViewPage<Event>) {
    if waiting == nil {
      registry.later(.report(.patienceOver(file.number), view: view.number), after: Self.patience)
    }
    waiting = (page, waiting?.since ?? .now)
  }

  /// Folds a page, and those that come meanwhile, in one batch; in several if the memory does not suffice.
  ///
  /// - Parameter poison: The position of the entry that cannot be folded; `nil` if none is known.
  private func fold(_ page: ViewPage<Event>, before poison: UInt64?) {
    var rest: ViewPage<Event>? = page
    while let page = rest { rest = foldBatch(page, before: poison) }
  }

  /// Folds one batch.
  ///
  /// - Returns: The page whose end is still to be folded; `nil` if there is none, or the fold does not go on.
  private func foldBatch(_ page: ViewPage<Event>, before poison: UInt64?) -> ViewPage<Event>? {
    var first = page
    if let poison, first.end.position.rawValue >= poison {
      do throws(AnnalsError) { first = try registry.cut(first, before: poison) } catch {
        report(.failed(file.number, error))
        return nil
      }
    }
    var last = first
    let isBuilding = !file.isSynced.load(ordering: .relaxed)
    let end = ContinuousClock.now + (isBuilding ? registry.pace.building : registry.pace.live)
    let cases = view.projection.selection.cases
    var reading: ViewReading<Event>?
    waiting = nil
    do throws(FoldFailure) {
      let outcome = try folding.fold(first, from: stored, isBuilding ? .none : .relaxed) {
        (size) throws(FoldFailure) in
        guard last.failure == nil, poison == nil else { return nil }
        let isWithinCall = !isBuilding && !last.isEndOfCall
        guard isWithinCall || (size < registry.budget.batch && ContinuousClock.now < end) else { return nil }
        // While live, new entries are shown at once.
        let waits = isWithinCall || (isBuilding && !last.isLast)
        while let taken = registry.page(for: self, upTo: waits ? Self.wait : 0) {
          let page = taken.seen(by: cases)
          // Pages that a batch cannot use come again.
          if page.start > last.end.position.rawValue
            || page.end.position.rawValue < last.end.position.rawValue
          {
            continue
          }
          last = page
          return page
        }
        guard isWithinCall else { return nil }
        last = try rest(after: last.end.position.rawValue, &reading).seen(by: cases)
        return last
      }
      ended(outcome, last)
      let isPart = if case .stored(let end) = outcome { end.position < last.end.position } else { false }
      return isPart && registry.goesOn(self) ? last : nil
    } catch {
      switch error {
      case .poison(let position, let error): report(.poisoned(file.number, at: position, error))
      case .log(let error): report(.logFailed(file.number, error))
      case .ended: break
      case .other(let error):
        // The next batch begins with a larger map, unless that was not possible the last time.
        if file.isEnlarged(beyond: &outgrown) {
          report(.overtaken(file.number, at: position))
          break
        }
        report(.failed(file.number, error))
      }
      return nil
    }
  }

  /// Reads a page that the scan has not handed on yet: it may be waiting for runners that need this thread.
  private func rest(
    after position: UInt64, _ reading: inout ViewReading<Event>?
  ) throws(FoldFailure) -> ViewPage<Event> {
    guard registry.goesOn(self), !registry.isEnding else { throw .ended }
    let member = ScanTable.Member(number: number, cases: view.projection.selection.cases)
    var own = reading ?? ViewReading(registry, mostPauses: 20)
    defer { reading = own }
    do throws(AnnalsError) {
      return try own.page(after: position, registry.desk.withLock { $0.scans.wanted(by: [member]) })
    } catch {
      throw error.recovery == [.retry] ? .other(error) : .log(error)
    }
  }

  /// Reports the outcome of a batch.
  private func ended(_ outcome: FoldOutcome, _ last: ViewPage<Event>) {
    switch outcome {
    case .stored(let checkpoint):
      stored = checkpoint
      file.commits.announce()
      if let observer = registry.core.observer { report(checkpoint.position, to: observer) }
      let isWhole = checkpoint.position == last.end.position
      let facts = ViewBatchFacts(
        end: position, isLast: isWhole && last.isLast, failure: isWhole ? last.failure?.error : nil)
      report(.stored(file.number, facts))
    case .elsewhere(let checkpoint):
      stored = checkpoint
      report(.overtaken(file.number, at: position))
    case .succeeded: report(.succeeded(file.number))
    }
  }

  /// Reports how far the file is.
  private func report(_ position: Position, to observer: any StoreObserver) {
    // A log that cannot be read now is reported by the next page.
    guard let last = try? registry.core.generation.lastPosition() else { return }
    observer.followed(
      ViewActivity(
        name: view.projection.name, version: view.projection.outline.version, position: position,
        lag: last - min(last, position.rawValue)))
  }
}

// The switch to a built file.
extension ViewRunner {
  /// Makes the file durable, and reports how far the files are.
  private func finish() {
    let event: ViewEvent
    do throws(AnnalsError) {
      let end = try registry.harden(self) ? try registry.core.generation.lastPosition() : nil
      let served = try registry.servedPosition(of: view)
      event = .hardened(file.number, ViewSwitchFacts(position: position, end: end, served: served))
    } catch {
      event = .switchFailed(file.number, error)
    }
    report(event)
  }

  private func compare() {
    let event: ViewEvent
    do throws(AnnalsError) {
      event = .compared(file.number, at: position, served: try registry.servedPosition(of: view))
    } catch {
      event = .switchFailed(file.number, error)
    }
    report(event)
  }

  private func replace() {
    do throws(AnnalsError) {
      switch try registry.replace(by: self, at: position) {
      case .done(let effects): for effect in effects { registry.carryOut(effect, view) }
      // The rest comes with the next page.
      case .late: break
      case .changed: report(.changed(file.number))
      }
    } catch {
      report(.switchFailed(file.number, error))
    }
  }
}
