internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension AnnalsError {
  /// Creates the error for an unfinished pass that must be continued and cannot.
  init(unusable row: PassRow) {
    self.init(
      .verifyFailed,
      "the unfinished migration pass cannot go on: since it began, a schema version was activated, a feature came into use, an event was appended to a stream whose name was erased or, in a pass that moves streams, a stream was truncated, or its copy in generation \(row.other) was lost or spoiled; nothing was removed: begin the pass again without '--resume' (in a program with MigrationOptions.Unfinished.resume)",
      details: Details { $0.version = row.version })
  }
}

/// What an unfinished pass has left: a file that is being built, named by the generation in use, and nothing
/// else that could be taken for it.
struct UnfinishedPass {
  let source: Generation
  let directory: Directory
  let locks: EnvironmentLocks
  /// What the generation in use says of the pass.
  let row: PassRow
  /// The run of the operating system; `nil` if it is not known.
  let boot: String?
  /// Whether the pass moves entries to other streams.
  let isMoving: Bool

  private var current: CurrentFile { CurrentFile(log: source.meta.log, generation: row.other) }

  /// The file, if the pass can continue with it; `nil` if it must begin again.
  ///
  /// - Parameter nameless: The ids of the streams whose names leave with the pass; `nil` if it keeps all
  ///   names.
  func target(except nameless: Set<UInt64>?) throws(AnnalsError) -> (PassTarget, PassRow)? {
    let (leftover, target) = try look()
    guard let target else { return nil }
    let found: PassRow
    switch leftover {
    case .building:
      guard let own = try target.read({ (reader) throws(AnnalsError) in try reader.pass() }) else {
        return nil
      }
      found = own
    case .unswitched(var own):
      // Everything was ready but the seal.
      own.other = source.number
      own.position = try target.read { (reader) throws(AnnalsError) in try reader.last() }
      found = own
    case .none, .row, .broken, .unknown:
      return nil
    }
    guard try isBehind(target, found), try hidesTheSame(target), try keepsOriginals(target),
      try keepsNames(target, found, except: nameless)
    else { return nil }
    try target.reopen(for: found)
    return (target, found)
  }

  /// Removes the file and all that belongs to it, then the name that the generation in use has for it.
  ///
  /// Only after the end of every use of the file. The old generation is as it was before the pass, but for
  /// the number that is used up.
  func remove(_ atPoint: (PassPoint) -> Void) throws(AnnalsError) {
    let archive = try mustBeOurs()
    atPoint(.removing)
    if let archive { try PassArchive.remove(archive, of: directory) }
    try files { () throws(StoreFileError) in
      let file = current.fileName
      for names in [[file, file + "-lock"], [BuildMark.name(generation: row.other), current.leaseName]] {
        for name in names where try directory.status(of: name) != nil { try directory.remove(name) }
        // The mark goes last, also on the disk: a file without one is not taken for a pass's.
        try directory.synchronize()
      }
    }
    atPoint(.removed)
    try source.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      guard try StoreReader(transaction.view, source.tables).pass() == row else { return }
      let newest = try StoreReader(transaction.view, source.tables).newestGeneration()
      // Its number is used up, even if the file is removed.
      let row = NewestRow(generation: max(newest, row.other))
      try transaction.put(row.encoded(), NewestRow.name, in: source.tables.meta)
      try transaction.remove(PassRow.name, in: source.tables.meta)
      try transaction.remove(PassArchiveRow.name, in: source.tables.meta)
    }
    atPoint(.cleared)
  }

  /// Whether the old generation still has all that was copied, and nobody has worked anything out from the
  /// whole log since.
  ///
  /// A power loss can take the last commit back that a pass has seen, and an activation changes rows that
  /// were taken over when the pass began.
  private func isBehind(_ target: PassTarget, _ found: PassRow) throws(AnnalsError) -> Bool {
    let old = try source.read { (reader) throws(AnnalsError) in try Sight(reader, at: found.position) }
    let new = try target.read { (reader) throws(AnnalsError) in try Sight(reader, at: found.position) }
    return old.epoch == new.epoch && new.last == found.position && found.position <= old.last
      && (isMoving ? old.place?.time == new.place?.time : old.place == new.place)
  }

  /// Whether a pass that moves streams still hides what it hid when it began. An earlier library has not
  /// noted that, and has other rows of the streams that it moves.
  private func hidesTheSame(_ target: PassTarget) throws(AnnalsError) -> Bool {
    if !isMoving { return true }
    let known = try target.read { (reader) throws(AnnalsError) in try reader.passHidden() }
    return try known == source.read { (reader) throws(AnnalsError) in try HiddenEntries(reader) }.mark
  }

  /// Whether the copied entries have what conditions of a cluster compare: an earlier library has lost it.
  private func keepsOriginals(_ target: PassTarget) throws(AnnalsError) -> Bool {
    let isShared = try source.read { (reader) throws(AnnalsError) in try reader.requires(.cluster) }
    if !isShared { return true }
    return try target.read { (reader) throws(AnnalsError) in try reader.requires(.originals) }
  }

  /// Whether the copy has the name of each stream that keeps it. A pass removes the names of streams whose
  /// events were all erased, and one of them may have got an event since.
  private func keepsNames(
    _ target: PassTarget, _ found: PassRow, except nameless: Set<UInt64>?
  ) throws(AnnalsError) -> Bool {
    guard let nameless else { return true }
    let (named, hasMoved) = try source.read { (reader) throws(AnnalsError) in
      (try reader.namelessIDs().filter { !nameless.contains($0.rawValue) }, try source.hasMoved(in: reader))
    }
    for id in named {
      guard id.rawValue <= found.position else {
        // The rows that say where streams went were copied before any entry, without the erased names.
        if hasMoved { return false }
        continue
      }
      let name = try target.read { (reader) throws(AnnalsError) in
        try reader.name(of: reader.header(reader.bytes(at: id), at: id).stream)
      }
      if name == SystemEntry.placeholder(of: id) { return false }
    }
    return true
  }

  /// What a generation says of the place up to which entries are copied.
  private struct Sight {
    /// What a rewrite leaves of an entry.
    struct Place: Equatable {
      let stream: Position
      let revision: Revision
      let time: Int64
    }

    let epoch: UInt64
    let last: UInt64
    let place: Place?

    init(_ reader: StoreReader, at position: UInt64) throws(AnnalsError) {
      epoch = try reader.schemaEpoch()
      last = try reader.last()
      guard position > 0, position <= last else {
        place = nil
        return
      }
      let header = try reader.header(reader.bytes(at: Position(position)), at: Position(position))
      place = Place(stream: header.stream, revision: header.revision, time: header.time)
    }
  }

  /// The leftover, and the file that describes it.
  private func look() throws(AnnalsError) -> (PassLeftover, PassTarget?) {
    let status = try files { () throws(StoreFileError) in try directory.status(of: current.fileName) }
    guard status != nil else { return (.row(row), nil) }
    switch try mark() {
    case .missing: return (.unknown(row), nil)
    case .unusable: return (.broken(row), nil)
    case .usable: break
    }
    do throws(AnnalsError) {
      let target = try PassTarget.open(current, in: directory, locks)
      let (meta, predecessor) = try target.read { (reader) throws(AnnalsError) in
        (try reader.meta(), try reader.predecessor())
      }
      guard meta.log == source.current.log, meta.generation == row.other else { return (.unknown(row), nil) }
      let last = try target.read { (reader) throws(AnnalsError) in try reader.last() }
      // What has entries after its switch was in use, regardless of the old generation says: nothing here may
      // remove them.
      if let predecessor, last > predecessor.last { return (.unknown(row), nil) }
      let other = PassLeftover.Other(state: meta.state, epoch: meta.epoch, predecessor: predecessor)
      let epoch = try source.read { (reader) throws(AnnalsError) in try reader.meta().epoch }
      return (PassLeftover(pass: row, of: source.number, epoch: epoch, other: other), target)
    } catch {
      // A file whose first commit was interrupted, or whose pages never reached the disk. The number was
      // given to this pass by the generation in use, and numbers are given once, so nobody else can have made
      // it by the rules.
      guard [.damaged, .incomplete, .notAStore, .formatVersion].contains(error.code) else { throw error }
      return (.broken(row), nil)
    }
  }

  /// What is alongside the file.
  private enum Mark {
    /// Nothing. A pass puts its mark before it makes the file, and removes it after it.
    case missing
    /// A power loss can have spoiled the file.
    case unusable
    case usable
  }

  private func mark() throws(AnnalsError) -> Mark {
    let name = BuildMark.name(generation: row.other)
    let bytes: [UInt8]
    do throws(StoreFileError) { bytes = try directory.read(name, limit: BuildMark.limit) } catch {
      if case .missing = error { return .missing }
      throw AnnalsError(error)
    }
    do { return try BuildMark(bytes).isUsable(in: boot) ? .usable : .unusable } catch { return .unusable }
  }

  /// Throws if the file is a whole generation that no pass of this store has made: it is there against the
  /// rules, and not touched.
  ///
  /// - Returns: The row of the pass's archive; `nil` if it has none.
  private func mustBeOurs() throws(AnnalsError) -> PassArchiveRow? {
    let (leftover, target) = try look()
    guard case .unknown = leftover else {
      let noted = try source.read { (reader) throws(AnnalsError) in try reader.passArchive() }
      // Where it cannot be read, the generation in use has the path.
      let own = try? target?.read { (reader) throws(AnnalsError) in try reader.passArchive() }
      return [own, noted].compactMap(\.self).first { $0.id == row.id }
    }
    throw AnnalsError(
      .foreign,
      "'\(current.fileName)' is not what the unfinished pass has left, so it is not removed: find out where it comes from, and move it away",
      details: AnnalsError.Details { $0.file = current.fileName })
  }
}
