public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsShapes
internal import LMDB
internal import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The keys of the people whose personal data a store has, in the file `keys.mdb` of the store's directory.
///
/// ```swift
/// var options = StoreOptions()
/// options.keys = SubjectKeys()
/// let store = try EventStore(at: url, plan: ShopPlan.self, options: options)
/// ```
///
/// Each person has a key of their own, made by libsodium when the first event with their data is appended. A
/// key is durable before the event is. Values are encrypted with XChaCha20-Poly1305, under a random nonce.
///
/// Use one value for each store. Several processes may use the file at the same time. A backup of the store
/// never contains it.
public final class SubjectKeys: PersonalDataKeys {
  /// What an open does if the store may have encrypted fields and the file is missing.
  public enum Missing: Sendable {
    /// Fails with code `keyMissing`.
    case fail
    /// Begins with an empty file. Every person without a key counts as forgotten from then on: their fields
    /// read as the declared replacements, even in views and inline projections. A later event with data of a
    /// person is accepted, and makes a new key.
    case forget
  }

  private struct State {
    var place: Place?
    var file: KeyFile?
    /// Whether the file has ever been open, so that it must not be missing.
    var hasBeenOpen = false
  }

  private struct Place {
    let directory: Directory
    let identity: FileIdentity
    let log: UUID
    let isReadOnly: Bool
  }

  private let missing: Missing
  private let state = Mutex(State())
  /// The number of attempts at a file that other processes replace.
  private static let tries = 100

  /// Creates the keys for one store: the store whose open receives them.
  ///
  /// - Parameter missing: What an open does if the file is missing. The default is ``Missing/fail``.
  public init(ifMissing missing: Missing = .fail) {
    self.missing = missing
  }

  /// Sets the store that the keys are for. Opens of the store call this method.
  public func attach(
    toStoreAt url: URL, log: UUID, hasPersonalData: Bool, isReadOnly: Bool
  ) throws(AnnalsError) {
    let path = try StorePlace(url).path
    let directory = try files { () throws(StoreFileError) in try Directory.open(path: path) }
    let identity = try files { () throws(StoreFileError) in try directory.status().identity }
    try state.withLock { (state) throws(AnnalsError) in
      if let place = state.place {
        guard place.identity == identity, place.log == log else {
          throw AnnalsError(
            .wrongUse, "these keys are in use for another store: create SubjectKeys() for each store")
        }
        // A writer may have opened it after a reader.
        if isReadOnly || !place.isReadOnly { return }
      }
      state.place = Place(directory: directory, identity: identity, log: log, isReadOnly: isReadOnly)
      state.file = nil
      if try Self.file(&state, creating: nil) != nil || !hasPersonalData { return }
      state.place = missing == .forget && !isReadOnly ? state.place : nil
      guard state.place != nil else { throw Self.noFile }
      _ = try Self.file(&state, creating: true)
    }
  }

  /// Encrypts a value with the newest key of a subject. Appends and passes call it.
  public func seal(
    _ value: [UInt8], of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue? {
    try again { () throws(AnnalsError) in
      let file = try file(creating: true)
      var row = try file.row(of: subject)
      if row == nil {
        row = try file.update(subject) { (row) throws(AnnalsError) in
          row == nil ? KeyRow(keys: [try Self.newKey()]) : nil
        }
      }
      guard let newest = row?.keys.last, let key = SubjectKey(newest.key) else { return nil }
      return SealedValue(key: newest.number, box: try key.seal(value, in: context))
    }
  }

  /// Decrypts a value. Reads call it.
  public func open(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> OpenedValue {
    let file = try file(creating: false)
    guard let row = try file.row(of: subject) else {
      if file.forgetsOthers { return .forgotten }
      throw Self.noKey
    }
    if row.isDropped { return .forgotten }
    guard let key = row.key(value.key) else {
      if file.forgetsOthers { return .forgotten }
      throw Self.noKey
    }
    guard let opened = try key.open(value.box, in: context) else { return .forged }
    return .value(opened)
  }

  /// Returns whether the keys of a subject were dropped. Reads of events of older versions call it.
  public func hasDropped(_ subject: String) throws(AnnalsError) -> Bool {
    let file = try state.withLock { (state) throws(AnnalsError) in try Self.file(&state, creating: nil) }
    return try file?.row(of: subject)?.isDropped ?? false
  }

  /// Encrypts a value with the newest key of a subject, if it has an older one. Passes that renew keys call
  /// it.
  public func renew(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue? {
    let row = try file(creating: false).row(of: subject)
    guard let newest = row?.keys.last, newest.number != value.key, let key = SubjectKey(newest.key) else {
      return nil
    }
    guard case .value(let opened) = try open(value, of: subject, in: context) else { return nil }
    return SealedValue(key: newest.number, box: try key.seal(opened, in: context))
  }

  /// Drops all keys of a subject, for good. Call ``EventStore/forget(_:by:because:)`` instead, which also
  /// clears views and other results of the values.
  ///
  /// - Returns: Whether the subject had keys; `false` if they were dropped before, or never made.
  @discardableResult
  public func drop(_ subject: String, recording drop: KeyDrop) throws(AnnalsError) -> Bool {
    try again { () throws(AnnalsError) in
      let file = try file(creating: true)
      var hadKeys = true
      do throws(AnnalsError) {
        let row = try file.row(of: subject)
        if row?.isDropped == true {
          try file.changeDrops { $0.append(drop) }
          return false
        }
        hadKeys = row != nil
      } catch {
        // The row is damaged, and goes.
        guard error.code == .damaged else { throw error }
      }
      try file.drop(subject, recording: drop)
      state.withLock { $0.file = nil }
      return hadKeys
    }
  }

  /// Returns the removals that the log may not record yet. Opens of the store call it, and record them.
  public func unrecordedDrops() throws(AnnalsError) -> [KeyDrop] {
    // Without the file, nothing was dropped that it could know of.
    let file = try state.withLock { (state) throws(AnnalsError) in try Self.file(&state, creating: nil) }
    return try file?.drops() ?? []
  }

  /// Returns the newest removal that a log records. An open of the store checks whether its own log does.
  public func newestRecordedDrop() throws(AnnalsError) -> KeyDrop? {
    let file = try state.withLock { (state) throws(AnnalsError) in try Self.file(&state, creating: nil) }
    return try file?.recordedDrop()
  }

  /// Forgets removals that the log now records. ``EventStore/forget(_:by:because:)`` calls this method.
  public func noteRecorded(_ drops: [KeyDrop], newest: KeyDrop) throws(AnnalsError) {
    KeyPoint.reach(.recorded)
    try again { () throws(AnnalsError) in
      try file(creating: true).changeDrops(recording: newest) { known in
        for drop in drops {
          if let index = known.firstIndex(of: drop) { known.remove(at: index) }
        }
      }
    }
  }

  /// Gives a subject a new key for the events that are appended from now on.
  ///
  /// Older events stay encrypted with the older keys until a pass renews them
  /// (`MigrationOptions.renewsKeys`). After that, ``removeUnused(ofStoreAt:)`` removes the older keys. A key
  /// that became known therefore decrypts only events that were appended before this call.
  ///
  /// - Parameter subject: The id of the person.
  /// - Returns: Whether the subject had a key; `false` if none was ever made, in which case nothing is
  ///   changed. The first event with data of a person makes one.
  /// - Throws: ``AnnalsError`` with code `wrongUse` before a store was opened with these keys,
  ///   `subjectForgotten` if the keys were dropped, `keyMissing`, `readOnly`, `damaged`, `diskFull` or
  ///   `inputOutput`.
  /// - Complexity: One flush to disk.
  @discardableResult
  public func rotate(_ subject: some TagValue) throws(AnnalsError) -> Bool {
    let subject = subject.tagText
    return try again { () throws(AnnalsError) in
      let row = try file(creating: true).update(subject) { (row) throws(AnnalsError) in
        guard let row else { return nil }
        if row.isDropped {
          throw AnnalsError(.subjectForgotten, "the keys of the subject were dropped; it gets no new one")
        }
        return KeyRow(keys: row.keys + [try Self.newKey()])
      }
      return row != nil
    }
  }

  /// Returns whether the keys of a subject were dropped.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` before a store was opened with these keys, `keyMissing`,
  ///   `damaged` or `inputOutput`.
  public func isForgotten(_ subject: some TagValue) throws(AnnalsError) -> Bool {
    let file = try file(creating: false)
    return try file.row(of: subject.tagText).map(\.isDropped) ?? file.forgetsOthers
  }
}

extension SubjectKeys {
  private static func newKey() throws(AnnalsError) -> KeyRow.Numbered {
    KeyRow.Numbered(number: try SubjectKey.number(), key: try SubjectKey.random().bytes)
  }

  /// Repeats `body` while other processes replace the file.
  private func again<Result>(_ body: () throws(AnnalsError) -> Result) throws(AnnalsError) -> Result {
    for _ in 1..<Self.tries {
      do throws(AnnalsError) { return try body() } catch {
        guard error.code == .storeReplaced || error.code == .lockFileDamaged else { throw error }
        state.withLock { $0.file = nil }
      }
    }
    return try body()
  }

  private func file(creating: Bool) throws(AnnalsError) -> KeyFile {
    try state.withLock { (state) throws(AnnalsError) in
      guard let file = try Self.file(&state, creating: creating ? false : nil) else { throw Self.noFile }
      return file
    }
  }

  /// Returns the file, opened again if it was replaced; `nil` if it is missing and not created.
  ///
  /// - Parameter creating: How subjects without keys count in a file that is created; `nil` if none is.
  private static func file(
    _ state: inout State, creating: Bool?
  ) throws(AnnalsError) -> KeyFile? {
    guard let place = state.place else {
      throw AnnalsError(.wrongUse, "no store has been opened with these keys yet")
    }
    if let file = state.file, !file.environment.isInherited,
      try KeyFile.identity(in: place.directory) == file.identity
    {
      return file
    }
    state.file = nil
    // A file that was there and is gone is not replaced by an empty one.
    let creating = state.hasBeenOpen || place.isReadOnly ? nil : creating
    state.file = try KeyFile.open(
      in: place.directory, of: place.log, isReadOnly: place.isReadOnly, creating: creating)
    if state.file != nil { state.hasBeenOpen = true }
    return state.file
  }

  static var noFile: AnnalsError {
    AnnalsError(
      .keyMissing,
      "the store has encrypted fields, and its file '\(KeyFile.name)' is missing: put it there if it is kept elsewhere, or open the store with SubjectKeys(ifMissing: .forget), which gives up what is encrypted",
      details: AnnalsError.Details { $0.file = KeyFile.name })
  }

  private static var noKey: AnnalsError {
    AnnalsError(
      .keyMissing,
      "'\(KeyFile.name)' lacks the key of a subject, so it is older than the event: put the newest copy of the file there",
      details: AnnalsError.Details { $0.file = KeyFile.name })
  }
}
