public import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

/// The state of one view, as its files record it for any program.
public struct ViewInfo: Sendable {
  /// The state of a view.
  public enum State: String, Hashable, Sendable {
    /// It has not caught up yet and cannot be read.
    case building
    /// It can be read.
    case ready
    /// Another file has replaced it, or its file cannot be used. It is removed as soon as no process has it
    /// open.
    case outlived
    /// Its file is damaged. The next program that opens the view for writing builds it again.
    case damaged
  }

  /// The name of the projection.
  public let name: String
  /// The version of the projection.
  public let version: Int
  /// The number in the names of its files.
  public let number: UInt64
  /// The state of the view.
  public let state: State
  /// The position up to which it has read; `nil` before the first.
  public let position: Position?
  /// The number of positions in the log after that position.
  public let lag: UInt64
  /// The number of its rows, and of the entries of their secondary keys; 0 if the file cannot be used.
  public let rows: Int
  /// The size of its file in bytes.
  public let bytes: Int
  /// Whether a process is folding it now.
  public let isFolded: Bool
}

extension EventLog {
  /// Returns the views of the store by name, version and number, according to their files. It needs no plan
  /// and no projection.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `permission`, `tooManyReaders`, `usedAfterFork` or
  ///   `inputOutput`.
  /// - Complexity: O(files of views).
  public func views() throws(AnnalsError) -> [ViewInfo] {
    guard let views = try ViewDirectory.open(in: core.generation.directory, .readOnly) else { return [] }
    let files = ViewDirectory(directory: views.directory, access: options.access)
    let hold = try files.lock()
    let last = try core.generation.lastPosition()
    var infos: [ViewInfo] = []
    for listing in try views.listings() {
      guard let mark = listing.mark, listing.hasFile else { continue }
      infos.append(try files.info(listing.number, mark, of: core, options, last: last))
    }
    _ = consume hold
    return infos.sorted { left, right in
      ExactText(left.name) == ExactText(right.name)
        ? (left.version, left.number) < (right.version, right.number)
        : ExactText(left.name) < ExactText(right.name)
    }
  }
}

extension ViewDirectory {
  /// Returns the information in the files of a number. The directory must be locked.
  fileprivate func info(
    _ number: UInt64, _ mark: ViewMark, of core: LogCore, _ options: StoreOptions, last: UInt64
  ) throws(AnnalsError) -> ViewInfo {
    let name = ViewFile.stem(number) + ".mdb"
    let bytes = try files { () throws(StoreFileError) in try directory.status(of: name)?.size ?? 0 }
    let isFolded = try isFolded(number)
    var state = ViewInfo.State.outlived
    var (position, rows) = (UInt64(0), 0)
    if mark.isUsable(in: Boot.id) {
      do throws(AnnalsError) {
        // An opener that uses only some tables uses no rows either.
        let trust = options.scope == nil ? options.trust : .own
        let file = try open(number, called: mark.name, of: core, trust: trust)
        let facts = try file.read { (view) throws(AnnalsError) in
          rows = try storage { () throws(EnvironmentError) in try view.statistics(of: file.rows).entries }
          return try file.facts(view)
        }
        position = facts.checkpoint?.position.rawValue ?? 0
        state = facts.successor != nil ? .outlived : facts.isReady ? .ready : .building
      } catch {
        // The next open of the view rebuilds it.
        guard error.isOfSpoiltView else { throw error }
        state = .damaged
      }
    }
    return ViewInfo(
      name: mark.name, version: mark.version, number: number, state: state,
      position: position > 0 ? Position(position) : nil, lag: last - min(last, position), rows: rows,
      bytes: bytes, isFolded: isFolded)
  }

  /// Whether a process is folding a view.
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
  /// Whether the error means that no view can be read from a file.
  package var isOfSpoiltView: Bool {
    let codes: [Code] = [
      .damaged, .foreign, .notAStore, .incomplete, .formatVersion, .lockFileDamaged, .storeReplaced,
    ]
    return codes.contains(code)
  }
}
