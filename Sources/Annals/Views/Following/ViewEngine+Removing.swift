internal import AnnalsCoding
internal import LMDB
import Synchronization

// Removing a view permanently.
extension ViewEngine {
  /// The time that other users of a file have to release it before a removal fails.
  private static var parting: Duration { .seconds(2) }

  /// Releases all files of a machine, which is not followed any more.
  private func empty(_ line: ViewLine<Event>) {
    let tracks = line.state.withLock { state in
      defer {
        state = ViewLine<Event>.State()
        state.isRemoved = true
      }
      return state.tracks
    }
    for track in tracks { retire(track) }
    line.changes.announce()
  }

  /// Removes the files of a projection that no process has open.
  ///
  /// - Returns: The numbers of the others.
  private static func remove(_ name: String, _ shelf: ViewShelf) throws(AnnalsError) -> [UInt64] {
    let hold = try shelf.lock()
    var kept: [UInt64] = []
    for listing in try shelf.listings() {
      guard let mark = listing.mark, ExactText(mark.name) == ExactText(name) else { continue }
      if try !shelf.remove(listing.number) { kept.append(listing.number) }
    }
    _ = consume hold
    return kept
  }

  /// Ends all machines of a projection, whatever their versions, and removes the files.
  ///
  /// - Throws: ``AnnalsError`` with code `busy` if a file is open elsewhere; that file is not removed.
  func remove(_ name: String) throws(AnnalsError) {
    let lines = settling.withLock { settling in
      let lines = settling.lines.filter { ExactText($0.face.name) == ExactText(name) }
      settling.lines.removeAll { line in lines.contains { $0 === line } }
      return lines
    }
    for line in lines { empty(line) }
    guard let shelf = try shelf() else { return }
    // A pass, or the keeper, may be using the files right now.
    let end = ContinuousClock.now + (lines.isEmpty ? .zero : Self.parting)
    core.place.commits.announce()
    var kept = try Self.remove(name, shelf)
    while !kept.isEmpty, ContinuousClock.now < end {
      WriterThread.pause(milliseconds: 5)
      kept = try Self.remove(name, shelf)
    }
    guard let first = kept.first else { return }
    throw AnnalsError(
      .busy,
      "the view '\(name)' is open in another process or another store of this one, or a snapshot of it is; end those and try again",
      details: AnnalsError.Details { $0.file = ViewFile.stem(first) + ".mdb" })
  }
}
