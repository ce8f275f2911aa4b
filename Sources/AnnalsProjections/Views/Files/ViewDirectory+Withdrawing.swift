package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import LMDB

/// The views of a store, while none can be built: held until this value ends.
package struct WithdrawnViews: ~Copyable {
  private let hold: FileLock.Hold

  fileprivate init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }

  /// Lets views be built again.
  package consuming func end() {}
}

extension LogCore {
  /// Withdraws the views that may have folded certain entries: no process reads or folds their rows any more,
  /// and each view is made again, but not before the returned value ends.
  ///
  /// So rows that are made later come from a log in which events are erased by then. Views of projections
  /// that none of the events can have reached stay as they are.
  ///
  /// - Parameter entries: The entries; `nil` if they are not known, and then all views are made again.
  /// - Returns: `nil` if the store was opened for reading only and has no views.
  package func withdrawViews(of entries: ErasedKinds?) throws(AnnalsError) -> WithdrawnViews? {
    // A store without views gets the directory, because its lock keeps the first view from being built.
    guard let directory = try ViewDirectory.open(in: generation.directory, access) else { return nil }
    let hold = try directory.lock()
    for listing in try directory.listings() where listing.hasFile {
      // Another file is not opened, and the next program removes it.
      guard let mark = listing.mark, mark.isUsable(in: Boot.id) else { continue }
      do throws(AnnalsError) {
        try directory.open(listing.number, called: mark.name, of: self).withdraw(for: entries)
      } catch {
        guard error.isOfSpoiltView else { throw error }
        try directory.discard(listing.number, called: mark.name, error)
      }
    }
    return WithdrawnViews(hold)
  }
}

/// The file of a view that no program reads any more, and that no program has removed yet.
package struct WithdrawnFile: Sendable {
  /// The number in the names of its files.
  package let number: UInt64
  /// The projection's name; `nil` if it is not known.
  package let name: String?
  /// The position up to which its rows were folded; `nil` if it is not known.
  package let folded: Position?
}

extension LogCore {
  /// Returns the files of views whose rows no program reads any more, because they may be folded from erased
  /// events or from personal values. They are there until the next program opens the view, or until
  /// ``ViewDirectory/removeWithdrawn(in:)``.
  package func withdrawnFiles() throws(AnnalsError) -> [WithdrawnFile] {
    guard let directory = try ViewDirectory.open(in: generation.directory, .readOnly) else { return [] }
    let hold = try directory.lock()
    let found = try directory.withdrawn { (number, name) throws(AnnalsError) in
      try directory.open(number, called: name, of: self)
    }
    _ = consume hold
    return found
  }
}

extension ViewDirectory {
  /// Removes the files of views whose rows no program reads any more, unless a program has them open. The
  /// next program that opens such a view builds it from the log.
  ///
  /// - Returns: The removed files.
  package static func removeWithdrawn(in store: Directory) throws(AnnalsError) -> [WithdrawnFile] {
    // A reader makes no directory where there is none.
    guard let directory = try ViewDirectory.open(in: store, .readOnly) else { return [] }
    let hold = try directory.lock()
    let found = try directory.withdrawn { (number, name) throws(AnnalsError) in
      try ViewFile.open(number, called: name, in: directory.directory)
    }
    var removed: [WithdrawnFile] = []
    for file in found where try directory.remove(file.number) { removed.append(file) }
    _ = consume hold
    return removed
  }

  /// Returns the files whose rows no program reads any more. The caller must hold ``lock()``.
  fileprivate func withdrawn(
    _ open: (UInt64, String) throws(AnnalsError) -> ViewFile
  ) throws(AnnalsError) -> [WithdrawnFile] {
    var files: [WithdrawnFile] = []
    for listing in try listings() where listing.hasFile {
      let number = listing.number
      guard let mark = listing.mark, mark.isUsable(in: Boot.id) else {
        files.append(WithdrawnFile(number: number, name: listing.mark?.name, folded: nil))
        continue
      }
      do throws(AnnalsError) {
        let file = try open(number, mark.name)
        let facts = try file.read { (view) throws(AnnalsError) in try file.facts(view) }
        guard facts.successor != nil else { continue }
        files.append(
          WithdrawnFile(number: number, name: mark.name, folded: facts.checkpoint?.position ?? 0))
      } catch {
        guard error.isOfSpoiltView else { throw error }
        files.append(WithdrawnFile(number: number, name: mark.name, folded: nil))
      }
    }
    return files
  }
}

extension ViewDirectory {
  /// Withdraws the views whose projections select events by a tag with one of these names, as
  /// ``LogCore/withdrawViews(of:)`` withdraws views of erased events.
  ///
  /// A generation in which such tags differ comes into use before the returned value ends.
  package static func withdrawViews(
    selectingBy names: Set<ExactText>, in store: Directory
  ) throws(AnnalsError) -> WithdrawnViews? {
    try withdrawViews(in: store, because: .tags) { inputs in
      !(inputs?.tagNames.isDisjoint(with: names) ?? false)
    }
  }

  /// Withdraws all views, because a generation with other events comes into use before the returned value
  /// ends.
  package static func withdrawViewsForRollback(in store: Directory) throws(AnnalsError) -> WithdrawnViews? {
    try withdrawViews(in: store, because: .rollback) { _ in true }
  }

  /// Withdraws the views whose inputs are meant; `nil` for a file that does not say what they are.
  private static func withdrawViews(
    in store: Directory, because reason: ViewWithdrawal, _ isMeant: (ProjectionInputs?) -> Bool
  ) throws(AnnalsError) -> WithdrawnViews? {
    // A store without views gets the directory, because its lock keeps the first view from being built.
    guard let directory = try ViewDirectory.open(in: store, .readWrite) else { return nil }
    let hold = try directory.lock()
    for listing in try directory.listings() where listing.hasFile {
      // Another file is not opened, and the next program removes it.
      guard let mark = listing.mark, mark.isUsable(in: Boot.id) else { continue }
      do throws(AnnalsError) {
        try ViewFile.open(listing.number, called: mark.name, in: directory.directory).withdraw(
          because: reason, isMeant)
      } catch {
        guard error.isOfSpoiltView else { throw error }
        try directory.discard(listing.number, called: mark.name, error)
      }
    }
    return WithdrawnViews(hold)
  }
}

extension ViewDirectory {
  /// Removes a file that cannot be withdrawn, because it is damaged. The next program that opens the view
  /// builds it again. The caller must hold ``lock()``.
  ///
  /// - Throws: ``AnnalsError`` with code `busy` if a program has it open, which may still show its rows.
  fileprivate func discard(
    _ number: UInt64, called name: String, _ error: AnnalsError
  ) throws(AnnalsError) {
    if try remove(number) { return }
    throw AnnalsError(
      .busy,
      "the view '\(name)' cannot be withdrawn, because its file is damaged, and a program that has it open may show its rows; end all programs that use the view, then try again",
      details: AnnalsError.Details { $0.file = ViewFile.stem(number) + ".mdb" }, underlying: error)
  }
}

extension ViewFile {
  /// Records that no program reads the rows any more, if the file is one of those that are meant.
  fileprivate func withdraw(
    because reason: ViewWithdrawal, _ isMeant: (ProjectionInputs?) -> Bool
  ) throws(AnnalsError) {
    let facts = try read { (view) throws(AnnalsError) in try self.facts(view) }
    if isMeant(ProjectionInputs(facts.inputs)) { try withdraw(because: reason) }
  }

  /// Records that no program reads the rows any more.
  func withdraw(because reason: ViewWithdrawal) throws(AnnalsError) {
    var own: [UInt8] = []
    own.append(varint: number)
    try environment.write(durability: .full, failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try transaction.remove(ViewRow.erased.rawValue, in: meta)
      try transaction.put([reason.rawValue], .retagged, in: self)
      try transaction.put(own, .successor, in: self)
    }
    commits.announce()
  }

  /// Records that no program reads the rows any more, and which entries they were folded from.
  fileprivate func withdraw(for entries: ErasedKinds?) throws(AnnalsError) {
    var meant: PositionRanges?
    if let entries {
      let sources = try read { (view) throws(AnnalsError) -> ProjectionSources in try self.sources(view) }
      let found = entries.positions { sources.mayReach(version: $0, name: $1) }
      if found.isEmpty { return }
      meant = found
    }
    var own: [UInt8] = []
    own.append(varint: number)
    try environment.write(durability: .full, failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let facts = try self.facts(transaction.view)
      // A file that was withdrawn without positions has rows of others, too.
      if let meant, !facts.isWithdrawn || facts.erased != nil {
        let folded = meant.prefix(through: facts.checkpoint?.position.rawValue ?? 0)
        var ranges: [UInt8] = []
        (facts.erased ?? PositionRanges()).union(folded).append(to: &ranges)
        try transaction.put(ranges, .erased, in: self)
      }
      if meant == nil { try transaction.remove(ViewRow.erased.rawValue, in: meta) }
      try transaction.put(own, .successor, in: self)
    }
    commits.announce()
  }
}
