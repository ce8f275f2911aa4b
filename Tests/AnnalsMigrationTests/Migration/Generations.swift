import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import LMDB

/// Creates the files of passes, rollbacks and crashes, step by step, without the code that follows seals.
struct Generations {
  let url: URL
  let pass = UUID()
  /// Whether the locks are taken; not where the caller has the turn already.
  private var takesLocks = true

  init(_ place: TemporaryStore) {
    url = place.url
  }

  /// The same for a caller that already has the turn.
  var withoutLocks: Generations {
    var other = self
    other.takesLocks = false
    return other
  }

  func file(_ number: UInt64, _ ending: String = "mdb") -> URL {
    let digits = String(number)
    return url.appendingPathComponent(
      "log-" + String(repeating: "0", count: 6 - digits.count) + digits + "." + ending)
  }

  /// Changes the tables of one generation in a transaction, regardless of its state.
  func change(
    _ number: UInt64, _ body: (inout WriteTransaction, StoreTables) throws(EnvironmentError) -> Void
  ) throws {
    let directory = try Directory.open(path: url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    var options = EnvironmentOptions()
    if !takesLocks { options.guards.remove(.locks) }
    let environment = try Environment.open(
      file(number).lastPathComponent, in: directory, tables: StoreTables.definitions, locks: locks,
      options: options)
    let tables = StoreTables(environment)
    try environment.write { (transaction) throws(EnvironmentError) in try body(&transaction, tables) }
  }

  /// Sets rows of `meta` of one generation; `nil` takes a row away.
  func set(_ number: UInt64, _ rows: [(name: String, value: [UInt8]?)]) throws {
    try change(number) { (transaction, tables) throws(EnvironmentError) in
      for row in rows {
        let key = Array(row.name.utf8)
        if let value = row.value {
          try transaction.put(Annals.Row.seal(value, key: key).span, forKey: key.span, in: tables.meta)
        } else {
          _ = try transaction.delete(key: key.span, in: tables.meta)
        }
      }
    }
  }

  /// The rows of a generation's state and epoch.
  func standing(_ state: StoreMeta.State, epoch: UInt64) -> [(name: String, value: [UInt8]?)] {
    var meta = StoreMeta(log: UUID())
    meta.state = state
    meta.epoch = epoch
    return [
      (StoreMeta.Name.state.rawValue, meta.value(of: .state)),
      (StoreMeta.Name.epoch.rawValue, meta.value(of: .epoch)),
    ]
  }

  /// Makes generation `new` from `old`, in the state that a pass without a rule leaves just before the seal.
  ///
  /// Do not append to the store meanwhile.
  func copy(
    _ old: UInt64, to new: UInt64, epoch: UInt64, last: UInt64, state: StoreMeta.State = .live
  ) throws {
    try FileManager.default.copyItem(at: file(old), to: file(new))
    try finish(new, of: old, epoch: epoch, last: last, state: state)
    try set(old, [(NewestRow.name, NewestRow(generation: new).encoded())])
  }

  /// Turns a copy of generation `old` into generation `new`.
  func finish(
    _ new: UInt64, of old: UInt64, epoch: UInt64, last: UInt64, state: StoreMeta.State = .live
  ) throws {
    var meta = StoreMeta(log: UUID())
    meta.generation = new
    try set(
      new,
      standing(state, epoch: epoch) + [
        (StoreMeta.Name.generation.rawValue, meta.value(of: .generation)),
        (PredecessorRow.name, PredecessorRow(generation: old, last: last).encoded()),
        (NewestRow.name, NewestRow(generation: new).encoded()), (PassRow.name, nil),
      ])
  }

  /// Notes in generation `old` that a pass copies it into `new`.
  func begin(_ old: UInt64, to new: UInt64) throws {
    let row = PassRow(id: pass, other: new, plan: [UInt8](repeating: 0, count: 32), version: nil)
    try set(old, [(PassRow.name, row.encoded())])
  }

  /// Seals a generation: the commit point of a switch.
  func seal(_ number: UInt64, successor: UInt64, epoch: UInt64) throws {
    var meta = StoreMeta(log: UUID())
    meta.state = .sealed(Seal(successor: successor, epoch: epoch))
    try set(number, [(StoreMeta.Name.state.rawValue, meta.value(of: .state)), (PassRow.name, nil)])
  }

  /// Lets `CURRENT` name a generation.
  func name(_ number: UInt64, of log: UUID) throws {
    try Data(CurrentFile(log: log, generation: number).encoded()).write(
      to: url.appendingPathComponent("CURRENT"))
  }

  /// What `CURRENT` names.
  func named() throws -> UInt64 {
    try CurrentFile([UInt8](Data(contentsOf: url.appendingPathComponent("CURRENT")))).generation
  }

  /// A whole switch from `old` to `new` but for `CURRENT`.
  func switchOver(
    _ old: UInt64, to new: UInt64, epoch: UInt64, last: UInt64, state: StoreMeta.State = .live
  ) throws {
    try copy(old, to: new, epoch: epoch, last: last, state: state)
    try seal(old, successor: new, epoch: epoch)
  }

  /// Reads from a generation's file, regardless of its state.
  func read<Value>(
    _ number: UInt64, _ body: (StoreReader) throws(AnnalsError) -> Value
  ) throws -> Value {
    let directory = try Directory.open(path: url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    let environment = try Environment.open(
      file(number).lastPathComponent, in: directory, tables: StoreTables.definitions, locks: locks)
    return try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try body(StoreReader(transaction.view, StoreTables(environment)))
    }
  }

  /// The number of entries in a generation's file, regardless of its state.
  func entries(_ number: UInt64) throws -> Int {
    var count = 0
    try change(number) { (transaction, tables) throws(EnvironmentError) in
      count = try transaction.statistics(of: tables.entries).entries
    }
    return count
  }
}
