internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

// The files: choice, build, switch.
extension ViewMachine {
  /// Takes over the chosen files, and ends the folds of all others.
  mutating func choose(_ selection: ViewSelection) -> [ViewEffect] {
    if served?.file != selection.served?.file { leaving = nil }
    served = selection.served
    building = selection.building
    if selection.building != nil || selection.buildsNew { reason = selection.reason }
    refusal = selection.refusal
    lacksBuild = false
    isHeldBack = selection.refusal != nil
    var effects = endOthers()
    if mayFold {
      for file in unfolded where mayFold(file) { effects.append(.begin(file)) }
      if selection.buildsNew { effects.append(.build(reason: selection.reason)) }
    }
    return effects + [.announce, .tend]
  }

  /// Ends the folds of files that are neither read nor built.
  private mutating func endOthers() -> [ViewEffect] {
    var effects: [ViewEffect] = []
    for (file, fold) in folds.sorted(by: { $0.key < $1.key })
    where file != building && served != Served(file: file, isCurrent: true) {
      folds[file] = nil
      effects.append(.end(file, stores: fold.waiting != nil))
    }
    return effects
  }

  /// Builds a new file, in place of any other that is being built.
  mutating func created(_ file: UInt64, _ reason: String?) -> [ViewEffect] {
    building = file
    leaving = nil
    self.reason = reason
    (refusal, isHeldBack, lacksBuild) = (nil, false, false)
    return endOthers() + [.begin(file), .announce]
  }

  /// Begins to fold a file, unless it no longer belongs to the view.
  mutating func began(_ file: UInt64, _ position: UInt64, _ converts: Bool) -> [ViewEffect] {
    guard folds[file] == nil, mayFold(file) else { return [.end(file, stores: false)] }
    folds[file] = Fold(activity: converts ? .converting : .folding, stored: position)
    return [converts ? .convert(file) : .scan(file, after: position), .announce]
  }

  /// Tries again each fold that has stopped or waits.
  mutating func reopen() -> [ViewEffect] {
    let (effects, hasDropped) = dropStopped()
    damages = 0
    if folds.isEmpty { return effects + [.choose] }
    if needsBuild { return effects + [.build(reason: reason)] }
    return hasDropped ? effects + [.tend] : effects
  }

  /// Builds a new file, unless a build is under way.
  mutating func rebuild(_ reason: String) -> [ViewEffect] {
    let (effects, hasDropped) = dropStopped()
    damages = 0
    if let building, isHealthy(building) { return hasDropped ? effects + [.tend] : effects }
    return effects + [.build(reason: reason)]
  }

  /// Forgets the folds that have stopped, and ends the pauses of those that try again.
  private mutating func dropStopped() -> (effects: [ViewEffect], hasDropped: Bool) {
    var effects: [ViewEffect] = []
    var hasDropped = false
    for (file, fold) in folds.sorted(by: { $0.key < $1.key }) {
      if fold.activity == .stopped {
        folds[file] = nil
        hasDropped = true
      } else if fold.activity == .retrying {
        effects += resume(file)
      }
    }
    return (effects, hasDropped)
  }

  /// Answers a report of the end of the log: a built file is made durable, and may take over.
  func reachedEnd(_ file: UInt64) -> [ViewEffect] { building == file ? [.finish(file)] : [] }

  /// Decides whether a durable file takes over.
  mutating func hardened(_ file: UInt64, _ facts: ViewSwitchFacts) -> [ViewEffect] {
    guard building == file, isHealthy(file) else { return [] }
    // The flush takes seconds, and the older file follows the log meanwhile.
    if let end = facts.end, end > facts.position { return [] }
    guard let served, served.isCurrent else { return [.compare(file)] }
    // A file that is far ahead cannot be caught up with now, so it continues meanwhile.
    guard facts.served ?? 0 <= facts.position + Self.leap else { return [] }
    leaving = served.file
    guard let fold = folds.removeValue(forKey: served.file) else { return [.compare(file)] }
    // The new file does not repeat the reports of the older one, so the older one must stop here.
    return [.end(served.file, stores: fold.waiting != nil), .compare(file)]
  }

  /// Has reads use a built file from here on.
  mutating func replaced(_ file: UInt64) -> [ViewEffect] {
    guard building == file else { return [] }
    served = Served(file: file, isCurrent: true)
    (building, leaving) = (nil, nil)
    damages = 0
    return endOthers() + [.announce, .release(file), .tend]
  }
}
