public import AnnalsCoding
internal import LMDB

/// What a store says of one view, whoever folds it.
public struct ViewInfo: Sendable {
  /// How far a view has come.
  public enum State: String, Hashable, Sendable {
    /// It has not caught up yet, and nobody reads from it.
    case building
    /// It is read from.
    case ready
    /// Another file has taken its place, or its file cannot be used: it is removed as soon as nobody has it open.
    case outlived
  }

  /// The name of the projection.
  public let name: String
  /// The version of the projection.
  public let version: Int
  /// The number that the names of its files have.
  public let number: UInt64
  /// How far it has come.
  public let state: State
  /// The position that it has read to; `nil` before the first.
  public let position: Position?
  /// How many positions the log has beyond that.
  public let lag: UInt64
  /// How many bytes its file has.
  public let bytes: Int
  /// Whether some process folds it now.
  public let isFolded: Bool
}

extension EventLog {
  /// The views of the store as their files are, by name, version and number; no plan and no projection is needed.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `permission`, `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(files of views).
  public func views() throws(AnnalsError) -> [ViewInfo] {
    guard let shelf = try ViewShelf.open(in: core.generation.directory, .readOnly) else { return [] }
    let files = ViewShelf(directory: shelf.directory, access: options.access)
    let hold = try files.lock()
    let last = try core.generation.lastPosition()
    var infos: [ViewInfo] = []
    for listing in try shelf.listings() {
      guard let mark = listing.mark, listing.hasFile else { continue }
      infos.append(try files.info(listing.number, mark, of: core, last: last))
    }
    _ = consume hold
    return infos.sorted { left, right in
      ExactText(left.name) == ExactText(right.name)
        ? (left.version, left.number) < (right.version, right.number)
        : ExactText(left.name) < ExactText(right.name)
    }
  }
}

extension ViewShelf {
  /// What the files of a number say; the shelf is locked.
  fileprivate func info(
    _ number: UInt64, _ mark: ViewMark, of core: LogCore, last: UInt64
  ) throws(AnnalsError) -> ViewInfo {
    let name = ViewFile.stem(number) + ".mdb"
    let bytes = try files { () throws(StoreFileError) in try directory.status(of: name)?.size ?? 0 }
    let isFolded = try isFolded(number)
    var state = ViewInfo.State.outlived
    var position: UInt64 = 0
    if mark.isUsable(in: Boot.id) {
      do throws(AnnalsError) {
        let file = try open(number, called: mark.name, of: core)
        let facts = try file.read { (view) throws(AnnalsError) in try file.facts(view) }
        position = facts.checkpoint?.position.rawValue ?? 0
        state = facts.successor != nil ? .outlived : facts.isReady ? .ready : .building
      } catch {
        // Whoever opens the view builds it anew.
        guard error.isOfSpoiltView else { throw error }
      }
    }
    return ViewInfo(
      name: mark.name, version: mark.version, number: number, state: state,
      position: position > 0 ? Position(position) : nil, lag: last - min(last, position), bytes: bytes,
      isFolded: isFolded)
  }

  /// Whether some process folds a view.
  private func isFolded(_ number: UInt64) throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in
      do throws(StoreFileError) {
        let lock = try FileLock(ViewFile.stem(number) + ".fold", in: directory, create: false)
        guard let hold = try lock.tryLock(.exclusive) else { return true }
        _ = consume hold
        return false
      } catch .missing {
        return false
      }
    }
  }
}

extension AnnalsError {
  /// Whether it says that a file is none that a view can be read from.
  var isOfSpoiltView: Bool {
    let codes: [Code] = [
      .damaged, .foreign, .notAStore, .incomplete, .formatVersion, .lockFileDamaged, .storeReplaced,
    ]
    return codes.contains(code)
  }
}
