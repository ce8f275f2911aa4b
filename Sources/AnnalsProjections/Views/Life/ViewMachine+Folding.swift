internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

// The folding of one file: pages, batches, errors.
extension ViewMachine {
  /// Takes an event of a fold.
  mutating func handleFolding(_ event: ViewEvent) -> [ViewEffect] {
    switch event {
    case .converted(let file, let position):
      guard folds[file]?.activity == .converting else { return [] }
      folds[file]?.activity = .folding
      folds[file]?.stored = position
      return [.announce, .scan(file, after: position)]
    case .page(let file, let facts): return take(facts, file)
    case .patienceOver(let file):
      guard let fold = folds[file], fold.isFolding, fold.waiting != nil else { return [] }
      return [.store(file)]
    case .stored(let file, let facts): return stored(file, facts)
    case .poisoned(let file, let position, let error): return poisoned(file, position, error)
    case .failed(let file, let error): return failed(file, error)
    case .due(let file): return resume(file)
    case .overtaken(let file, let position):
      guard folds[file]?.isFolding == true else { return [] }
      // The other process may have passed the entry that could not be folded here.
      folds[file]?.waiting = nil
      folds[file]?.poison = nil
      folds[file]?.stored = position
      return [.scan(file, after: position)]
    case .succeeded(let file):
      guard folds.removeValue(forKey: file) != nil else { return [] }
      return [.end(file, stores: false), .announce, .tend]
    case .logFailed(let file, let error): return stop(file, error)
    default: return []
    }
  }

  /// Decides what becomes of a page: it is skipped, waits to be stored, or is folded.
  private mutating func take(_ page: ViewPageFacts, _ file: UInt64) -> [ViewEffect] {
    // A page after a gap is of a scan that the file has left. It comes again.
    guard let fold = folds[file], fold.isFolding, page.start <= fold.position else { return [] }
    // An entry before the view's position that cannot be upcast was folded when it could be.
    let isPassed = page.failure.map { $0 <= fold.position } ?? true
    if page.end <= fold.position, isPassed {
      return page.isLast && page.end == fold.position ? reachedEnd(file) : []
    }
    guard page.mayWait, page.failure == nil, fold.poison == nil else {
      return [.fold(file, before: fold.poison?.position)]
    }
    folds[file]?.waiting = page.end
    // While such pages keep coming, nothing else stores the checkpoint.
    if page.isUrgent { return [.wait(file), .announce, .store(file)] }
    return [.wait(file), .announce] + (page.isLast ? reachedEnd(file) : [])
  }

  /// Goes on after a stored batch, or stops before the entry that cannot be folded or read.
  private mutating func stored(_ file: UInt64, _ batch: ViewBatchFacts) -> [ViewEffect] {
    guard let fold = folds[file], fold.isFolding else { return [] }
    folds[file]?.stored = batch.end
    folds[file]?.waiting = nil
    folds[file]?.failures = 0
    if let poison = fold.poison, batch.end + 1 >= poison.position { return stop(file, poison.error) }
    if let failure = batch.failure { return stop(file, failure) }
    return [.announce] + (batch.isLast ? reachedEnd(file) : [])
  }

  /// Has the entries before the one that cannot be folded folded again, and stored.
  private mutating func poisoned(
    _ file: UInt64, _ position: UInt64, _ error: AnnalsError
  ) -> [ViewEffect] {
    guard let fold = folds[file], fold.isFolding else { return [] }
    folds[file]?.waiting = nil
    if position <= fold.stored + 1 { return stop(file, error) }
    folds[file]?.poison = Poison(position: position, error: error)
    return [.scan(file, after: fold.stored)]
  }

  /// Tries again later, builds another file, or stops, depending on the error.
  private mutating func failed(_ file: UInt64, _ error: AnnalsError) -> [ViewEffect] {
    guard let fold = folds[file], !fold.isOver else { return [] }
    if error.recovery == [.retry], fold.isFolding { return retry(file, error) }
    if error.recovery == [.retry], fold.activity == .converting, building == file {
      // A file with a part of the rows is of no use. Another one begins with all of them.
      folds[file] = nil
      (building, leaving) = (nil, nil)
      return [.end(file, stores: false)] + buildFailed(error)
    }
    guard error.isOfSpoiltView, damages < Self.mostDamages else { return stop(file, error) }
    damages += 1
    folds[file]?.activity = .damaged
    folds[file]?.waiting = nil
    if building == file { leaving = nil }
    let effects: [ViewEffect] = [.end(file, stores: false), .announce]
    // A build that is under way goes on.
    guard needsBuild else { return effects }
    reason = "its file was damaged (\(error.message))"
    return effects + [.build(reason: reason)]
  }

  /// Tries again after a pause, which grows with every failure in a row.
  mutating func retry(_ file: UInt64, _ error: AnnalsError) -> [ViewEffect] {
    guard let fold = folds[file], fold.isFolding else { return [] }
    folds[file]?.activity = .retrying
    folds[file]?.error = error
    folds[file]?.waiting = nil
    folds[file]?.failures += 1
    return [.pause(file), .announce, .retry(file, after: Self.pause(after: fold.failures + 1)), .tend]
  }

  /// Returns the pause after a number of failures in a row.
  static func pause(after failures: Int) -> Duration {
    min(longestPause, firstPause * (1 << min(max(failures - 1, 0), 16)))
  }

  /// Goes on after a pause.
  mutating func resume(_ file: UInt64) -> [ViewEffect] {
    guard let fold = folds[file], fold.activity == .retrying else { return [] }
    folds[file]?.activity = .folding
    folds[file]?.error = nil
    return [.scan(file, after: fold.stored), .announce]
  }

  /// Stops a fold, until the program opens the view again or rebuilds it.
  mutating func stop(_ file: UInt64, _ error: AnnalsError) -> [ViewEffect] {
    guard let fold = folds[file], !fold.isOver else { return [] }
    let stores = fold.waiting != nil && fold.poison == nil
    folds[file]?.activity = .stopped
    folds[file]?.error = error
    folds[file]?.stored = fold.position
    folds[file]?.waiting = nil
    // The file that it was to replace has to be followed again.
    if building == file { leaving = nil }
    return [.end(file, stores: stores), .announce, .tend]
  }
}
