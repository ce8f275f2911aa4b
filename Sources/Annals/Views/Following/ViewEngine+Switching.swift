internal import AnnalsCoding
internal import LMDB
import Synchronization

// Replacing a view's file with a built one.
extension ViewEngine {
  /// The greatest lead of the older of two files when it is stopped for the newer. The next pages cover that
  /// many positions almost at once.
  private static var leap: UInt64 { 5_000 }

  /// Handles a runner that has reached the end of the log: reads use the built file from here on.
  ///
  /// - Parameter checkpoint: The checkpoint up to which its file has read.
  func reached(_ track: ViewTrack<Event>, _ checkpoint: Checkpoint?) throws(AnnalsError) {
    let line = track.line
    guard line.state.withLock({ $0.building === track.file }) else { return }
    let position = checkpoint?.position.rawValue ?? 0
    // This takes seconds, and the older one follows the log meanwhile.
    if try harden(track), try core.generation.lastPosition() > position { return }
    while line.state.withLock({ $0.building === track.file }) {
      let old = line.state.withLock { $0.served?.file }
      if let old {
        // A file that is far ahead cannot be caught up with now, so it continues meanwhile.
        let ahead = try Self.position(of: old) ?? 0
        guard ahead <= position + Self.leap else { return }
        line.state.withLock { $0.leaving = old }
        // The new file does not repeat the reports of the older one, so the older one must stop here.
        for other in folding(old) { retire(other) }
      }
      let told = try old.flatMap { (file) throws(AnnalsError) in try Self.position(of: file) }
      // The rest comes with the next page.
      guard position >= told ?? 0 else { return }
      switch try replace(old, by: track, at: position, told: told) {
      case .done, .late: return
      case .changed: continue
      }
    }
  }

  /// Returns the position up to which a file has read; `nil` if it is damaged, so that nothing was reported
  /// lately.
  private static func position(of file: ViewFile) throws(AnnalsError) -> UInt64? {
    do throws(AnnalsError) {
      return try file.read { (view) throws(AnnalsError) in try file.checkpoint(view)?.position.rawValue ?? 0 }
    } catch {
      guard error.isOfSpoiltView else { throw error }
      return nil
    }
  }

  /// Returns the runners that fold a file. A version may be followed for its own sake and for that of a later
  /// one.
  private func folding(_ file: ViewFile) -> [ViewTrack<Event>] {
    settling.withLock { $0.lines }.compactMap { $0.track(of: file) }
  }

  /// Whether a file must not advance, because one that is folded here is about to replace it.
  private func isLeft(_ file: ViewFile) -> Bool {
    settling.withLock { $0.lines }.contains { line in
      line.state.withLock { state in
        // Its replacement may have been stopped.
        state.leaving === file && state.tracks.contains { $0.file === state.building && $0.error == nil }
      }
    }
  }

  /// Makes a built file durable, and records that in its mark.
  ///
  /// - Returns: `false` if it was durable.
  private func harden(_ track: ViewTrack<Event>) throws(AnnalsError) -> Bool {
    let file = track.file
    if file.isSynced.load(ordering: .relaxed) { return false }
    try storage { () throws(EnvironmentError) in try file.environment.synchronize() }
    let shelf = ViewShelf(directory: file.directory, access: access)
    let hold = try shelf.lock()
    try shelf.put(
      ViewMark(
        name: track.face.name, version: track.face.outline.version, boot: Boot.id ?? "", isSynced: true),
      for: file.number)
    _ = consume hold
    file.isSynced.store(true, ordering: .relaxed)
    return true
  }

  /// Records that a built file, which is on disk, is ready.
  private func finish(_ track: ViewTrack<Event>, gate: UInt64) throws(AnnalsError) {
    let file = track.file
    var told: [UInt8] = []
    told.append(varint: gate)
    try file.environment.write(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      try transaction.put(told, .gate, in: file)
      try transaction.put([1], .ready, in: file)
    }
  }

  /// The outcome of a switch.
  private enum Replacing {
    case done
    /// The older file is ahead, because another process folds it. Nothing has happened.
    case late
    /// Other files were chosen meanwhile. Nothing has happened.
    case changed
  }

  /// Switches readers to the new file, and removes files that are not needed any more.
  ///
  /// - Parameters:
  ///   - position: The position up to which the new file has read.
  ///   - told: The position up to which the older one has; `nil` if there is none, or it is damaged.
  private func replace(
    _ old: ViewFile?, by track: ViewTrack<Event>, at position: UInt64, told: UInt64?
  ) throws(AnnalsError) -> Replacing {
    let (line, file, outline) = (track.line, track.file, track.face.outline)
    // A choice of files between the two steps would be based on the old state, and bring the older file back.
    let outcome: Replacing = try settling.withLock { (_) throws(AnnalsError) in
      let (building, served) = line.state.withLock { ($0.building, $0.served) }
      guard building === file, served?.file === old else { return .changed }
      if let old, let told, served?.version == outline.version {
        guard try succeed(old, by: track, at: position, told) else { return .late }
      } else {
        try finish(track, gate: told ?? position)
      }
      line.state.withLock { state in
        state.served = ServedView(file: file, version: outline.version, outline: outline, conversions: nil)
        (state.building, state.leaving) = (nil, nil)
      }
      return .done
    }
    guard case .done = outcome else { return outcome }
    line.changes.announce()
    old?.commits.announce()
    try outlive(outline, file.number)
    chores.announce()
    return .done
  }

  /// Records in a built file that it is ready, and in the replaced file which one has replaced it. Readers of
  /// other processes find the new file that way.
  ///
  /// No process can advance the older one meanwhile, so the new one includes everything that was reported of
  /// it.
  ///
  /// - Parameter seen: The position of the older one at the last check.
  /// - Returns: `false` if the older one is ahead; then nothing has happened.
  private func succeed(
    _ old: ViewFile, by track: ViewTrack<Event>, at position: UInt64, _ seen: UInt64
  ) throws(AnnalsError) -> Bool {
    var number: [UInt8] = []
    number.append(varint: track.file.number)
    var failure: AnnalsError?
    do throws(AnnalsError) {
      return try old.environment.decide(durability: .relaxed, failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        let told = try old.checkpoint(transaction.view)?.position.rawValue ?? 0
        guard position >= told else { return .abort(false) }
        do throws(AnnalsError) { try finish(track, gate: told) } catch {
          failure = error
          throw error
        }
        try transaction.put(number, .successor, in: old)
        return .commit(true)
      }
    } catch {
      // No process can advance a damaged file, and its readers get the error.
      guard failure == nil, error.isOfSpoiltView else { throw error }
      try finish(track, gate: seen)
      return true
    }
  }

  /// Releases a file that was replaced.
  private func outlive(_ outline: ProjectionOutline, _ number: UInt64) throws(AnnalsError) {
    let older = settling.withLock { settling in
      let older = settling.lines.filter { line in
        ExactText(line.face.name) == ExactText(outline.name) && line.face.outline.version < outline.version
          && !line.state.withLock { $0.isWanted }
      }
      settling.lines.removeAll { line in older.contains { $0 === line } }
      return older
    }
    for line in older {
      for track in line.state.withLock({ $0.tracks }) { retire(track) }
      line.state.withLock { $0 = ViewLine<Event>.State() }
    }
    guard let shelf = try shelf() else { return }
    let listings = try shelf.listings()
    settling.withLock { settling in
      for listing in listings where listing.number != number {
        guard let mark = listing.mark, ExactText(mark.name) == ExactText(outline.name) else { continue }
        if mark.version < outline.version || (mark.version == outline.version && listing.number < number) {
          settling.outlived.insert(listing.number)
        }
      }
    }
  }

  /// Handles the replacement of a runner's file by another file.
  func succeeded(_ track: ViewTrack<Event>) {
    stopped(track)
    track.line.state.withLock { state in state.tracks.removeAll { $0 === track } }
    chores.announce()
  }

  /// Takes over files that another process has left, and removes files that no process has open any more.
  ///
  /// - Returns: Whether there is nothing left to check.
  func maintain() -> Bool {
    var isIdle = true
    for line in settling.withLock({ $0.lines }) {
      // A failure now is retried, or reported to readers.
      var failure: AnnalsError?
      do throws(AnnalsError) {
        if try !isSettled(line) { isIdle = false }
      } catch {
        failure = error
        isIdle = false
      }
      line.state.withLock { $0.looking = failure }
    }
    settling.withLock { settling in
      guard !settling.outlived.isEmpty else { return }
      isIdle = false
      do throws(AnnalsError) {
        guard let shelf = try shelf() else { return }
        let hold = try shelf.lock()
        for number in settling.outlived where try shelf.remove(number) { settling.outlived.remove(number) }
        _ = consume hold
      } catch {
        // The removal is retried here, and by the next open of the view.
      }
    }
    return isIdle
  }

  /// Checks whether a machine's files are current, and takes over those that no process folds.
  ///
  /// - Returns: Whether this process folds them all.
  private func isSettled(_ line: ViewLine<Event>) throws(AnnalsError) -> Bool {
    let (served, building, tracks, isHeldBack) = line.state.withLock {
      ($0.served, $0.building, $0.tracks, $0.isHeldBack)
    }
    var isSettled = true
    let files = [served.flatMap { $0.version == line.face.outline.version ? $0.file : nil }, building]
    for file in files.compactMap({ $0 }) where !tracks.contains(where: { $0.file === file }) {
      isSettled = false
      if isLeft(file) { continue }
      let (isReady, isCarrying, successor) = try file.read { (view) throws(AnnalsError) in
        (try file.isReady(view), try file.isCarrying(view), try file.successor(view))
      }
      if successor != nil || (file === building && (isReady || isCarrying)) {
        try settleAgain(line)
        return false
      }
      if isHeldBack { continue }
      guard let shelf = try shelf() else { continue }
      let lock = try shelf.lock()
      try follow(file, line, shelf)
      _ = consume lock
    }
    return isSettled
  }
}
