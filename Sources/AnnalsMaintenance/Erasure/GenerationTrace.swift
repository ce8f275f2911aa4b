internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// A generation's file, and whether bytes of erased events may be in it.
struct GenerationTrace {
  /// The generation's number.
  let number: UInt64
  /// The facts from the file; `nil` if it was not read, or cannot be.
  private let facts: Facts?

  private struct Facts {
    /// The changes that the generation records.
    var changes: [Position: SystemEntry] = [:]
    /// Whether a pass is building it, which may have begun to do so before the erasures.
    var isBuilding: Bool
    /// Its row about contexts that were removed; 0 for none.
    var contextsRemoved: UInt64
  }

  /// Whether it may have bytes of the events of an erasure that was done in an earlier generation.
  ///
  /// The numbers alone do not say: a generation that was rolled back has a higher number than the one in
  /// which events were erased after that. One made after the erasure records it.
  func mayHaveBytes(of change: RecordedChange) -> Bool {
    guard let facts, !facts.isBuilding else { return true }
    return facts.changes[change.position] != change.entry
  }

  /// Whether it may have contexts that were removed when `newest` was the newest generation, though its own
  /// number is higher: earlier libraries noted the one in use, and a pass may have begun before.
  func mayHaveContexts(removedBy newest: UInt64) -> Bool {
    guard let facts, !facts.isBuilding else { return true }
    return facts.contextsRemoved != newest
  }
}

extension GenerationTrace {
  /// The number of heads to keep in memory.
  private static let heads = 1_000

  /// Reads the file of a generation, or only its number.
  init(_ number: UInt64, isRead: Bool, _ log: EventLog) {
    self.number = number
    guard isRead else {
      facts = nil
      return
    }
    // A file that cannot be read may have anything.
    do throws(AnnalsError) { facts = try Self.facts(number, log) } catch { facts = nil }
  }

  private static func facts(_ number: UInt64, _ log: EventLog) throws(AnnalsError) -> Facts? {
    var options = log.options
    // A generation may have been rolled back because it is damaged, and LMDB trusts its pages.
    options.trust = .nobody
    let directory = log.core.generation.directory
    guard let file = try StoreOpening(directory: directory, options: options).open(number, of: log.id) else {
      return nil
    }
    try StoreMeta.check(file.meta.requires, forWriting: false)
    let opened = StoreOpening.Opened(
      file: file, kinds: KindRegistry(), arrived: file.meta.epoch, isStale: false, previous: nil)
    let generation = Generation(opened, directory, heads: heads)
    let removed = try generation.read { (reader) throws(AnnalsError) in try reader.contextsRemoved() }
    var facts = Facts(isBuilding: false, contextsRemoved: removed)
    if case .building = file.meta.state { facts.isBuilding = true }
    for change in try generation.systemEntries() { facts.changes[change.position] = change.entry }
    return facts
  }
}

extension EventLog {
  /// The generations whose files are there, in order. Those after `oldest` are read.
  func generations(after oldest: UInt64) throws(AnnalsError) -> [GenerationTrace] {
    let names = try files { () throws(StoreFileError) in try core.generation.directory.names() }
    let inUse = core.generation.number
    return names.compactMap { CurrentFile.generation(ofFile: $0) }.sorted().map {
      GenerationTrace($0, isRead: $0 > oldest && $0 != inUse, self)
    }
  }
}
