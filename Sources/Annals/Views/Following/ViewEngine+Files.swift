internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

// The files of a view, and the actions on them.
extension ViewEngine {
  /// Returns the directory of views; `nil` for a reader of a store that has none.
  func shelf() throws(AnnalsError) -> ViewShelf? {
    try ViewShelf.open(in: core.generation.directory, access)
  }

  /// Returns the machine of a projection, choosing its files if it is new here.
  func register(_ face: ProjectionFace<Event>, isWanted: Bool = true) throws(AnnalsError) -> ViewLine<Event> {
    var isRetried = false
    for line in settling.withLock({ $0.lines }) where line.face.type == face.type {
      if retireStopped(of: line) { isRetried = true }
    }
    let line = try choose(face, isWanted)
    try keep()
    // When another file of the machine is folded it is settled, and the keeper may rest.
    if isRetried { chores.announce() }
    return line
  }

  private func choose(_ face: ProjectionFace<Event>, _ isWanted: Bool) throws(AnnalsError) -> ViewLine<Event>
  {
    try settling.withLock { (settling) throws(AnnalsError) in
      let known = settling.lines.first {
        ExactText($0.face.name) == ExactText(face.name) && $0.face.outline.version == face.outline.version
      }
      if let known {
        guard known.face.type == face.type else {
          throw AnnalsError(
            .wrongUse,
            "two projections of the program are called '\(face.name)' and have version \(face.outline.version): give one of them another name"
          )
        }
        if isWanted { known.state.withLock { $0.isWanted = true } }
        // The cause that stopped it, or kept it from being found, may have passed.
        if known.state.withLock({ $0.tracks.isEmpty }) { try settle(known, &settling) }
        return known
      }
      let line = ViewLine(face)
      if isWanted { line.state.withLock { $0.isWanted = true } }
      try settle(line, &settling)
      settling.lines.append(line)
      return line
    }
  }

  /// Follows an earlier version of a projection, if it has a file and no file of the later one is ready.
  func registerEarlier(_ face: ProjectionFace<Event>, than later: ProjectionFace<Event>) throws(AnnalsError) {
    guard let shelf = try shelf() else { return }
    // The mark of a file that was being removed may still exist.
    let marks = try shelf.listings().filter(\.hasFile).compactMap(\.mark).filter {
      ExactText($0.name) == ExactText(face.name)
    }
    guard
      marks.contains(where: { $0.version == face.outline.version && $0.isSynced }),
      // A synced file of the later one is ready, or about to be.
      !marks.contains(where: { $0.version >= later.outline.version && $0.isSynced })
    else { return }
    do throws(AnnalsError) { _ = try register(face, isWanted: false) } catch {
      // Its file cannot be used, and reads use one of a version between the two.
      guard error.code == .superseded else { throw error }
    }
  }

  /// Chooses the files of a machine again, after another process has replaced the one that reads use.
  func settleAgain(_ line: ViewLine<Event>) throws(AnnalsError) {
    try settling.withLock { (settling) throws(AnnalsError) in try settle(line, &settling) }
  }

  /// Rebuilds a view while reads use the existing file, unless a rebuild is under way.
  func rebuild(_ line: ViewLine<Event>, because reason: String?) throws(AnnalsError) {
    retireStopped(of: line)
    try buildAnew(line, because: reason)
  }

  /// Rebuilds a view because one of its files is damaged. Called by the thread that has found the damage.
  func rebuild(_ line: ViewLine<Event>, afterDamage error: AnnalsError) throws(AnnalsError) {
    // Their threads end by themselves. Another one may be waiting for this one in the same way.
    let others = line.state.withLock { state in
      let others = state.tracks.filter { $0.error != nil }
      state.tracks.removeAll { track in others.contains { $0 === track } }
      return others
    }
    for track in others { stopped(track) }
    try buildAnew(line, because: "its file was damaged (\(error.message))")
  }

  private func buildAnew(_ line: ViewLine<Event>, because reason: String?) throws(AnnalsError) {
    try settling.withLock { (settling) throws(AnnalsError) in
      guard let shelf = try shelf() else { return }
      let hold = try shelf.lock()
      let isUnderWay = line.state.withLock { state in
        state.building.map { file in state.tracks.contains { $0.file === file } } ?? false
      }
      if !isUnderWay {
        try build(line, shelf, &settling)
        line.state.withLock { state in
          state.reason = reason
          state.error = nil
        }
      }
      _ = consume hold
    }
    line.changes.announce()
  }

  /// Finds the files of a projection, chooses among them, and begins to fold.
  func settle(_ line: ViewLine<Event>, _ settling: inout Settling) throws(AnnalsError) {
    guard let shelf = try shelf() else { return }
    let hold = access == .readWrite ? try shelf.lock() : nil
    if access == .readWrite { try shelf.clearUp() }
    let outline = line.face.outline
    let inputs = ProjectionInputs(reach.plan, cases: line.face.selection.cases)
    var (candidates, opened, noted) = try find(outline, shelf, &settling)
    let choice = try ViewChoice(
      outline, inputs, oldest: reach.plan.schemas.first?.version, newest: reach.plan.current.version,
      candidates, noted: noted)
    let served = choice.serving.flatMap { number in
      opened[number].flatMap { file in Self.served(file, candidates, outline) }
    }
    let going: ViewFile? = if case .going(let number) = choice.building { opened[number] } else { nil }
    // In one step: a runner at the end of the log asks whether its file is being built, and the end is
    // reported to it only once.
    line.state.withLock { state in
      state.served = served
      state.building = going
      state.settled = .now
      if choice.building != .none { state.reason = choice.reason }
      state.isHeldBack = choice.newer != nil
      state.error = choice.newer.map { AnnalsError(of: outline, builtBy: $0, reach.plan.current.version) }
    }
    if access == .readWrite, !isOver {
      for number in choice.discarded + choice.outlived {
        opened[number] = nil
        settling.files[number] = nil
        if try !shelf.remove(number) { settling.outlived.insert(number) }
      }
      if let served, served.version == outline.version, choice.newer == nil {
        try follow(served.file, line, shelf)
      }
      if let going, choice.newer == nil { try follow(going, line, shelf) }
      if choice.building == .new {
        try build(line, shelf, &settling, seed(of: line, candidates, opened))
      }
    }
    dismissOthers(of: line)
    _ = consume hold
    line.changes.announce()
    chores.announce()
  }

  /// Releases the runners whose files are neither read nor built. The threads end by themselves.
  private func dismissOthers(of line: ViewLine<Event>) {
    let others = line.state.withLock { state in
      let others = state.tracks.filter { $0.file !== state.served?.file && $0.file !== state.building }
      state.tracks.removeAll { track in others.contains { $0 === track } }
      return others
    }
    for track in others { stopped(track) }
  }

  /// Returns the usable files of a projection, and removes the others.
  private func find(
    _ outline: ProjectionOutline, _ shelf: ViewShelf, _ settling: inout Settling
  ) throws(AnnalsError) -> (
    candidates: [ViewChoice.Candidate], opened: [UInt64: ViewFile], noted: String?
  ) {
    var found: [ViewFacts] = []
    var opened: [UInt64: ViewFile] = [:]
    var noted: String?
    let boot = Boot.id
    let listings = try shelf.listings()
    for listing in listings {
      if listing.isLeftover {
        if access == .readWrite, !listing.isUsed || listing.number != listings.last?.number {
          _ = try shelf.remove(listing.number)
        }
        continue
      }
      if let mark = listing.mark, ExactText(mark.name) != ExactText(outline.name) { continue }
      let isOwn = listing.mark.map { $0.version == outline.version } ?? false
      var problem: String?
      if !listing.hasFile {
        problem = "its file was missing"
      } else if let mark = listing.mark {
        if !mark.isUsable(in: boot) {
          problem = "the system was not shut down in order while it was built"
        }
      } else {
        problem = "a file next to the view's file was missing or damaged"
      }
      if problem == nil, let mark = listing.mark {
        do throws(AnnalsError) {
          let file = try open(listing.number, mark, shelf, &settling)
          let facts = try file.read { (view) throws(AnnalsError) in try file.facts(view) }
          guard ExactText(facts.name) == ExactText(mark.name), facts.version == mark.version else {
            throw AnnalsError(.foreign, "the file belongs to another view than the file next to it says")
          }
          if facts.isCarrying, let lease = try shelf.foldLease(listing.number) {
            _ = lease
            throw AnnalsError(
              .incomplete, "rows of an earlier version were being carried over when that was cut short")
          }
          opened[listing.number] = file
          found.append(facts)
        } catch {
          guard error.isOfSpoiltView else { throw error }
          problem = "its file was damaged (\(error.message))"
        }
      }
      if let problem {
        // The projection of a file without a mark is unknown.
        if isOwn || listing.mark == nil { noted = noted ?? problem }
        settling.files[listing.number] = nil
        if access == .readWrite, try !shelf.remove(listing.number) {
          settling.outlived.insert(listing.number)
        }
      }
    }
    return (try compare(found, outline), opened, noted)
  }

  /// Compares the facts in the files with the log.
  private func compare(
    _ found: [ViewFacts], _ outline: ProjectionOutline
  ) throws(AnnalsError) -> [ViewChoice.Candidate] {
    // The snapshot begins after the files were read. An earlier one would lack entries that another process
    // folds meanwhile.
    let snapshot = try LogSnapshot(core)
    var candidates: [ViewChoice.Candidate] = []
    for facts in found {
      var agreement = CheckpointAgreement.agrees
      if let checkpoint = facts.checkpoint {
        agreement = try snapshot.reader.agreement(with: checkpoint, log: core.log)
      }
      candidates.append(
        ViewChoice.Candidate(
          facts: facts, agreement: agreement,
          isReadable: StoredProjection(facts.definition).flatMap { outline.reading($0) } != nil))
    }
    return candidates
  }

  private func open(
    _ number: UInt64, _ mark: ViewMark, _ shelf: ViewShelf, _ settling: inout Settling
  ) throws(AnnalsError) -> ViewFile {
    if let file = settling.files[number]?.file { return file }
    let file = try shelf.open(number, called: mark.name, of: core)
    file.isSynced.store(mark.isSynced, ordering: .relaxed)
    settling.files[number] = WeakFile(file: file)
    return file
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

  /// Begins a new file, which is not read until it has caught up. The view registry must be locked.
  private func build(
    _ line: ViewLine<Event>, _ shelf: ViewShelf, _ settling: inout Settling, _ seed: RowSeed? = nil
  ) throws(AnnalsError) {
    let inputs = ProjectionInputs(reach.plan, cases: line.face.selection.cases)
    let file = try shelf.create(
      line.face.outline, inputs, plan: reach.plan.current.version, isCarrying: seed != nil)
    settling.files[file.number] = WeakFile(file: file)
    line.state.withLock { state in
      state.building = file
      if state.isHeldBack { (state.isHeldBack, state.error) = (false, nil) }
    }
    try follow(file, line, shelf, seed)
  }

  /// Returns the rows with which a new file begins; `nil` if it begins with the log.
  private func seed(
    of line: ViewLine<Event>, _ candidates: [ViewChoice.Candidate], _ opened: [UInt64: ViewFile]
  ) -> RowSeed? {
    let outline = line.face.outline
    let inputs = ProjectionInputs(reach.plan, cases: line.face.selection.cases)
    let older = candidates.filter { candidate in
      // Rows of other inputs differ from those that the log gives.
      candidate.facts.isReady && candidate.facts.version < outline.version && candidate.agreement == .agrees
        && ProjectionInputs(candidate.facts.inputs) == inputs
    }
    guard
      let newest = older.max(by: { ($0.facts.version, $0.facts.number) < ($1.facts.version, $1.facts.number) }
      ),
      let file = opened[newest.facts.number], let stored = StoredProjection(newest.facts.definition),
      let carrying = RowCarrying(outline, line.face.upcasts, from: newest.facts.version, stored)
    else { return nil }
    return RowSeed(file: file, version: newest.facts.version, carrying: carrying)
  }

  /// Folds a file from here on, unless another process does. The view registry must be locked.
  ///
  /// - Parameter seed: The rows with which it begins. If a process ended while converting rows into the file,
  ///   the file is useless.
  func follow(
    _ file: ViewFile, _ line: ViewLine<Event>, _ shelf: ViewShelf, _ seed: RowSeed? = nil
  ) throws(AnnalsError) {
    guard !isOver, line.track(of: file) == nil, let lease = try shelf.foldLease(file.number) else { return }
    let (checkpoint, isCarrying) = try file.read { (view) throws(AnnalsError) in
      (try file.checkpoint(view), try file.isCarrying(view))
    }
    guard isCarrying == (seed != nil) else { return }
    // The previous holder of the lease may have made the file durable since it was opened here. From now on
    // no other can.
    file.isSynced.store(try shelf.mark(of: file.number)?.isSynced ?? false, ordering: .relaxed)
    let track = ViewTrack(line, file, lease, at: checkpoint)
    let isOfLine = line.state.withLock { state in
      let isOfLine = state.served?.file === file || state.building === file
      if isOfLine { state.tracks.append(track) }
      return isOfLine
    }
    guard isOfLine else { return }
    // An engine that is ending may have looked for runners before.
    if isOver { return retire(track) }
    do throws(AnnalsError) { try track.start(from: checkpoint, seed, for: self) } catch {
      retire(track)
      throw error
    }
    if seed == nil { join(track, after: checkpoint?.position.rawValue ?? 0) }
    // The runner may have been retired before it joined.
    if line.track(of: file) !== track { stopped(track) }
  }
}
