internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB
import Synchronization

// Replacing a view's file with a built one.
extension ViewRegistry {
  /// Returns the position up to which the file that reads use has read; `nil` if there is none, or it is
  /// damaged, so that nothing was reported lately.
  func servedPosition(of view: RegisteredView<Event>) throws(AnnalsError) -> UInt64? {
    guard let file = view.served?.file else { return nil }
    do throws(AnnalsError) {
      return try file.read { (view) throws(AnnalsError) in try file.checkpoint(view)?.position.rawValue ?? 0 }
    } catch {
      guard error.isOfSpoiltView else { throw error }
      return nil
    }
  }

  /// Makes a built file durable, and records that in its mark.
  ///
  /// - Returns: `false` if it was durable.
  func harden(_ runner: ViewRunner<Event>) throws(AnnalsError) -> Bool {
    let file = runner.file
    if file.isSynced.load(ordering: .relaxed) { return false }
    try storage { () throws(EnvironmentError) in try file.environment.synchronize() }
    let directory = ViewDirectory(directory: file.directory, access: access)
    let hold = try directory.lock()
    let outline = runner.view.projection.outline
    try directory.put(
      ViewMark(name: outline.name, version: outline.version, boot: Boot.id ?? "", isSynced: true),
      for: file.number)
    _ = consume hold
    file.isSynced.store(true, ordering: .relaxed)
    return true
  }

  /// Records that a built file, which is on disk, is ready.
  private func finish(_ file: ViewFile, gate: UInt64) throws(AnnalsError) {
    var reported: [UInt8] = []
    reported.append(varint: gate)
    try file.environment.write(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      try transaction.put(reported, .gate, in: file)
      try transaction.put([1], .ready, in: file)
    }
  }

  /// The outcome of a switch.
  enum Replacing {
    /// Reads use the new file. The effects remain to be performed.
    case done([ViewEffect])
    /// The older file is ahead, because another process folds it. Nothing has happened.
    case late
    /// Other files were chosen meanwhile. Nothing has happened.
    case changed
  }

  /// Switches readers to the file of a runner.
  ///
  /// - Parameter position: The position up to which it has read.
  func replace(by runner: ViewRunner<Event>, at position: UInt64) throws(AnnalsError) -> Replacing {
    let (view, file) = (runner.view, runner.file)
    let outline = view.projection.outline
    let known = view.served?.file
    // Nothing here advances it.
    let reported = try servedPosition(of: view)
    guard position >= reported ?? 0 else { return .late }
    // A choice of files between the two steps would be based on the old state, and bring the older file back.
    let outcome: Replacing = try catalog.withLock { (_) throws(AnnalsError) in
      let record = view.record
      guard record?.building === file, record?.served?.file === known else { return .changed }
      if let known, let reported, record?.served?.version == outline.version {
        guard try succeed(known, by: file, at: position, reported) else { return .late }
      } else {
        try finish(file, gate: reported ?? position)
      }
      return .done(
        desk.withLock { desk in
          desk.views[view.number]?.served = ServedView(
            file: file, version: outline.version, outline: outline, conversions: nil)
          desk.views[view.number]?.building = nil
          return desk.decide(.replaced(file.number), view.number)
        })
    }
    known?.commits.announce()
    return outcome
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
    _ old: ViewFile, by new: ViewFile, at position: UInt64, _ seen: UInt64
  ) throws(AnnalsError) -> Bool {
    var number: [UInt8] = []
    number.append(varint: new.number)
    var failure: AnnalsError?
    do throws(AnnalsError) {
      return try old.environment.decide(durability: .relaxed, failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        let reported = try old.checkpoint(transaction.view)?.position.rawValue ?? 0
        guard position >= reported else { return .abort(false) }
        do throws(AnnalsError) { try finish(new, gate: reported) } catch {
          failure = error
          throw error
        }
        try transaction.put(number, .successor, in: old)
        return .commit(true)
      }
    } catch {
      // No process can advance a damaged file, and its readers get the error.
      guard failure == nil, error.isOfSpoiltView else { throw error }
      try finish(new, gate: seen)
      return true
    }
  }

  /// Has the files that were replaced by the one that reads use removed once no process has them open.
  func release(_ view: RegisteredView<Event>) {
    guard let number = view.served?.file.number else { return }
    let outline = view.projection.outline
    do throws(AnnalsError) {
      guard let directory = try directory() else { return }
      let listings = try directory.listings()
      catalog.withLock { catalog in
        for listing in listings where listing.number != number {
          guard let mark = listing.mark, ExactText(mark.name) == ExactText(outline.name) else { continue }
          if mark.version < outline.version
            || (mark.version == outline.version && listing.number < number)
          {
            catalog.pendingRemovals.insert(listing.number)
          }
        }
      }
    } catch {
      // The next open of the view removes them.
    }
  }
}
