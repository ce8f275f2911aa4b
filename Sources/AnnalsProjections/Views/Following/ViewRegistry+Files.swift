internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

// The choice of a view's files, and the effects that need them.
extension ViewRegistry {
  /// Returns the directory of views; `nil` for a reader of a store that has none.
  func directory() throws(AnnalsError) -> ViewDirectory? {
    let store = core.generation.directory
    // All files share one open directory, unless it was replaced.
    if let known = desk.withLock({ $0.directory }) {
      let isCurrent = try files { () throws(StoreFileError) in
        try store.status(of: ViewDirectory.directoryName)?.identity == known.status().identity
      }
      if isCurrent { return ViewDirectory(directory: known, access: access) }
    }
    guard let opened = try ViewDirectory.open(in: store, access) else { return nil }
    desk.withLock { $0.directory = opened.directory }
    return opened
  }

  /// Returns the view of a projection, choosing its files if it is new here.
  func register(_ projection: ErasedProjection<Event>) throws(AnnalsError) -> RegisteredView<Event> {
    let known = try catalog.withLock { (catalog) throws(AnnalsError) -> RegisteredView<Event>? in
      let known = catalog.views.first {
        ExactText($0.projection.name) == ExactText(projection.name)
          && $0.projection.outline.version == projection.outline.version
      }
      if let known {
        guard known.projection.type == projection.type else {
          throw AnnalsError(
            .wrongUse,
            "two projections of the program are called '\(projection.name)' and have version \(projection.outline.version): give one of them another name"
          )
        }
        return known
      }
      return nil
    }
    try keep()
    if let known {
      // The cause that stopped it, or kept it from being found, may have passed.
      for effect in decide(.reopened, known) { try carryOutInFiles(effect, known) }
      return known
    }
    let view = RegisteredView(desk.withLock { $0.number() }, projection, desk)
    let mayFold = access == .readWrite
    desk.withLock {
      $0.views[view.number] = ViewRecord(view: view, machine: ViewMachine(mayFold: mayFold))
    }
    do throws(AnnalsError) {
      // Another thread may register the projection at the same time.
      let other = try inFiles { (catalog, directory) throws(AnnalsError) -> RegisteredView<Event>? in
        let other = catalog.views.first { $0.projection.type == projection.type }
        if other != nil { return other }
        if let directory { try choose(view, &catalog, directory) }
        catalog.views.append(view)
        return nil
      }
      guard let other else { return view }
      desk.withLock { $0.views[view.number] = nil }
      return other
    } catch {
      // A file may be folded already.
      end(view)
      throw error
    }
  }

  /// Calls `body` while no other thread or process chooses or removes files.
  ///
  /// - Parameter body: Receives the directory; `nil` for a reader of a store that has none.
  func inFiles<Result>(
    _ body: (inout Catalog, ViewDirectory?) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try catalog.withLock { (catalog) throws(AnnalsError) in
      guard let directory = try directory() else { return try body(&catalog, nil) }
      let hold = access == .readWrite ? try directory.lock() : nil
      let result = try body(&catalog, directory)
      _ = consume hold
      return result
    }
  }

  /// Chooses the files of a view again, after another process has replaced the one that reads use.
  func chooseAgain(_ view: RegisteredView<Event>) throws(AnnalsError) {
    try carryOutInFiles(.choose, view)
  }

  /// Performs an effect of which the caller reports the error.
  func carryOutInFiles(_ effect: ViewEffect, _ view: RegisteredView<Event>) throws(AnnalsError) {
    switch effect {
    case .choose, .begin, .build:
      try inFiles { (catalog, directory) throws(AnnalsError) in
        if let directory { try carryOut(effect, view, &catalog, directory) }
      }
    default: carryOut(effect, view)
    }
  }

  private func carryOut(
    _ effect: ViewEffect, _ view: RegisteredView<Event>, _ catalog: inout Catalog, _ directory: ViewDirectory
  ) throws(AnnalsError) {
    switch effect {
    case .choose: try choose(view, &catalog, directory)
    case .begin(let file): try begin(file, view, &catalog, directory)
    case .build(let reason): try build(view, reason, nil, &catalog, directory)
    default: carryOut(effect, view)
    }
  }

  /// Finds the files of a projection, chooses among them, and begins to fold.
  private func choose(
    _ view: RegisteredView<Event>, _ catalog: inout Catalog, _ directory: ViewDirectory
  ) throws(AnnalsError) {
    if access == .readWrite { try directory.clearUp() }
    let outline = view.projection.outline
    let inputs = view.projection.inputs(resolver.plan)
    var (candidates, opened, noted) = try find(outline, directory, &catalog)
    let choice = try ViewChoice(
      outline, inputs, oldest: resolver.plan.schemas.first?.version, newest: resolver.plan.current.version,
      erases: view.projection.erases, candidates, noted: noted,
      isOpen: catalog.views.contains { $0 === view })
    let served = choice.serving.flatMap { number in
      opened[number].flatMap { file in Self.served(file, candidates, outline) }
    }
    var selection = ViewSelection(buildsNew: choice.building == .new, reason: choice.reason)
    selection.served = served.map {
      ViewMachine.Served(file: $0.file.number, isCurrent: $0.version == outline.version)
    }
    if case .going(let number) = choice.building { selection.building = number }
    let going = selection.building.flatMap { opened[$0] }
    selection.refusal = choice.newer.map {
      AnnalsError(of: outline, builtBy: $0, resolver.plan.current.version)
    }
    let chosen = selection
    // In one step: a runner at the end of the log asks whether its file is being built, and the end is
    // reported to it only once.
    let effects = desk.withLock { desk in
      desk.views[view.number]?.served = served
      desk.views[view.number]?.building = going
      desk.views[view.number]?.chosen = .now
      return desk.decide(.chosen(chosen), view.number)
    }
    if access == .readWrite, !isEnding {
      for number in choice.discarded + choice.outlived {
        opened[number] = nil
        catalog.opened[number] = nil
        // An error must not end the call before its effects: they end runners.
        if (try? directory.remove(number)) != true { catalog.pendingRemovals.insert(number) }
      }
    }
    for effect in effects {
      if case .build(let reason) = effect {
        let reused = try reused(choice, of: view, candidates, opened)
        try build(view, reason, reused ?? seed(of: view, candidates, opened), &catalog, directory)
      } else {
        try carryOut(effect, view, &catalog, directory)
      }
    }
  }

  private static func served(
    _ file: ViewFile, _ candidates: [ViewChoice.Candidate], _ outline: ProjectionOutline
  ) -> ServedView? {
    guard let facts = candidates.first(where: { $0.facts.number == file.number })?.facts else { return nil }
    if facts.version == outline.version {
      return ServedView(file: file, version: outline.version, outline: outline, conversions: nil)
    }
    guard let stored = StoredProjection(facts.definition), let reading = outline.reading(stored) else {
      return nil
    }
    return ServedView(
      file: file, version: facts.version, outline: reading.outline, conversions: reading.conversions)
  }

  /// Begins a new file, which is not read until it has caught up, unless a build is under way.
  ///
  /// - Parameter seed: The rows with which it begins; `nil` to begin with the log.
  private func build(
    _ view: RegisteredView<Event>, _ reason: String?, _ seed: RowSeed?, _ catalog: inout Catalog,
    _ directory: ViewDirectory
  ) throws(AnnalsError) {
    let mayBuild = desk.withLock { desk in
      guard let machine = desk.views[view.number]?.machine, machine.phase == .open else { return false }
      return machine.building.map { !machine.isHealthy($0) } ?? true
    }
    guard mayBuild, !isEnding else { return }
    let inputs = view.projection.inputs(resolver.plan)
    let sources = ProjectionSources(resolver.plan, cases: view.projection.selection.cases)
    let file: ViewFile
    do throws(AnnalsError) {
      // A file that nothing can be folded into would keep programs with the older plan from the view.
      try resolver.plan.mustHaveMovedStreams(LogSnapshot(core))
      file = try directory.create(
        view.projection.outline, inputs, sources, plan: resolver.plan.current.version, isCarrying: seed != nil
      )
    } catch {
      report(.buildFailed(error), view)
      throw error
    }
    catalog.opened[file.number] = Catalog.WeakFile(file: file)
    catalog.seeds[file.number] = seed
    let effects = desk.withLock { desk in
      desk.views[view.number]?.building = file
      return desk.decide(.created(file.number, reason: reason), view.number)
    }
    for effect in effects { try carryOut(effect, view, &catalog, directory) }
  }

  /// Returns the rows with which a new file begins; `nil` if it begins with the log.
  private func seed(
    of view: RegisteredView<Event>, _ candidates: [ViewChoice.Candidate], _ opened: [UInt64: ViewFile]
  ) -> RowSeed? {
    let outline = view.projection.outline
    let inputs = view.projection.inputs(resolver.plan)
    let older = candidates.filter { candidate in
      // Rows of other inputs differ from those that the log gives.
      candidate.facts.isReady && candidate.facts.version < outline.version && candidate.agreement == .agrees
        && !candidate.facts.isWithdrawn
        && ProjectionInputs(candidate.facts.inputs) == inputs
    }
    guard
      let newest = older.max(by: { ($0.facts.version, $0.facts.number) < ($1.facts.version, $1.facts.number) }
      ),
      let file = opened[newest.facts.number], let stored = StoredProjection(newest.facts.definition),
      let carrying = RowCarrying(outline, view.projection.upcasts, from: newest.facts.version, stored)
    else { return nil }
    return RowSeed(file: file, version: newest.facts.version, carrying: carrying)
  }

  /// Returns the rows of a withdrawn file, with which a new file begins once erased events are taken out of
  /// them; `nil` if there is none, the erasure was cut short, or the stream and revision with which an event
  /// was folded are not known any more.
  private func reused(
    _ choice: ViewChoice, of view: RegisteredView<Event>, _ candidates: [ViewChoice.Candidate],
    _ opened: [UInt64: ViewFile]
  ) throws(AnnalsError) -> RowSeed? {
    guard let number = choice.reused, let file = opened[number],
      let facts = candidates.first(where: { $0.facts.number == number })?.facts, let erased = facts.erased
    else { return nil }
    var events: [ErasedEvent] = []
    let snapshot = try LogSnapshot(core)
    for position in erased.ranges.joined() {
      guard let entry = try snapshot.reader.erasedEntry(at: Position(position)) else { return nil }
      events.append(
        ErasedEvent(position: Position(position), stream: entry.stream, revision: entry.revision))
    }
    return RowSeed(
      file: file, version: facts.version, carrying: RowCarrying(same: view.projection.outline),
      erased: events)
  }

  /// Folds a file from here on, unless another process does.
  private func begin(
    _ number: UInt64, _ view: RegisteredView<Event>, _ catalog: inout Catalog, _ directory: ViewDirectory
  ) throws(AnnalsError) {
    let seed = catalog.seeds.removeValue(forKey: number)
    let (found, isFolded) = desk.withLock { desk -> (ViewFile?, Bool) in
      let record = desk.views[view.number]
      let file = [record?.served?.file, record?.building].compactMap { $0 }.first { $0.number == number }
      return (file, record?.machine.folds[number] != nil)
    }
    guard !isEnding, let file = found, !isFolded, let lease = try directory.foldLease(number) else { return }
    let (checkpoint, isCarrying) = try file.read { (view) throws(AnnalsError) in
      (try file.checkpoint(view), try file.isCarrying(view))
    }
    // If a process ended while converting rows into the file, the file is useless.
    guard isCarrying == (seed != nil) else { return }
    // The previous holder of the lease may have made the file durable since it was opened here. From now on
    // no other can.
    file.isSynced.store(try directory.mark(of: number)?.isSynced ?? false, ordering: .relaxed)
    let runner = ViewRunner(
      desk.withLock { $0.number() }, view, file, lease, seed, at: checkpoint, in: self)
    let effects = change { desk -> [ViewEffect] in
      desk.add(runner)
      let effects = desk.decide(
        .began(number, at: checkpoint?.position.rawValue ?? 0, converts: seed != nil), view.number)
      if desk.views[view.number]?.machine.folds[number] == nil {
        desk.views[view.number]?.runners[number] = nil
        desk.give(.drop, to: runner.number)
        return []
      }
      return effects
    }
    for effect in effects { carryOut(effect, view) }
  }

  /// Rebuilds a view while reads use the existing file, unless a rebuild is under way.
  func rebuild(_ view: RegisteredView<Event>, because reason: String) throws(AnnalsError) {
    for effect in decide(.rebuild(reason: reason), view) { try carryOutInFiles(effect, view) }
  }
}
