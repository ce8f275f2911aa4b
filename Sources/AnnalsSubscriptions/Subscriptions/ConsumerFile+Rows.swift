package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
package import LMDB

/// A change to a dead letter of a consumer.
enum LetterChange: Sendable {
  /// Adds the letter. One of the same entry keeps its time.
  case put(key: [UInt8], DeadLetterRow)
  /// Replaces the letter, unless it has been removed meanwhile.
  case replace(key: [UInt8], DeadLetterRow)
  /// Removes the letter.
  case remove(key: [UInt8])
}

extension ConsumerFile {
  /// Returns the stored checkpoint of a consumer; `nil` if there is none.
  func checkpoint(of consumer: String) throws(AnnalsError) -> Checkpoint? {
    try NameRule.check(consumer, role: "consumer")
    return try read { (view) throws(AnnalsError) in
      try row(Array(consumer.utf8), in: checkpoints, view) { (bytes) throws(FormatFailure) in
        try ConsumerRow(bytes).checkpoint
      }
    }
  }

  /// Returns all consumers with a checkpoint, ordered by the bytes of their names.
  func all() throws(AnnalsError) -> [(name: String, row: ConsumerRow)] {
    try read { (view) throws(AnnalsError) in
      var all: [(name: String, row: ConsumerRow)] = []
      var cursor: Cursor
      do throws(EnvironmentError) { cursor = try view.cursor(in: checkpoints) } catch {
        throw AnnalsError(error)
      }
      while let found = try cursor.nextRow() {
        let row = try parsed(found.value, key: found.key, in: checkpoints) { (bytes) throws(FormatFailure) in
          try ConsumerRow(bytes)
        }
        all.append((String(decoding: found.key.copied, as: UTF8.self), row))
      }
      return all
    }
  }

  /// Reads every row of the file of a store, for an audit.
  ///
  /// - Throws: `damaged` for the first row with a wrong checksum or form.
  package static func readAll(in store: Directory) throws(AnnalsError) {
    guard let file = try open(in: store, .readOnly, creating: false) else { return }
    _ = try file.all()
    try file.read { (view) throws(AnnalsError) in
      var cursor: Cursor
      do throws(EnvironmentError) { cursor = try view.cursor(in: file.letters) } catch {
        throw AnnalsError(error)
      }
      while let row = try cursor.nextRow() { _ = try file.letter(row.value, row.key) }
    }
  }

  /// Stores a consumer's checkpoint and the changes to its dead letters in one transaction.
  func keep(
    _ checkpoint: Checkpoint?, of consumer: String, _ changes: [LetterChange] = []
  ) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    try write { (transaction) throws(AnnalsError) in
      try put(checkpoint, of: consumer, changes, in: &transaction)
    }
  }

  /// Does the same as ``keep(_:of:_:)``, but off any actor because it waits for the disk. It blocks no thread
  /// while another process writes.
  ///
  /// - Parameter limit: The time to wait for the turn to write.
  /// - Throws: `busy` when that time has passed.
  @concurrent func store(
    _ checkpoint: Checkpoint?, of consumer: String, _ changes: [LetterChange] = [], within limit: Duration
  ) async throws(AnnalsError) {
    let start = ContinuousClock.now
    var pause = Duration.milliseconds(1)
    while true {
      if let turn = try storage({ () throws(EnvironmentError) in try environment.turnIfFree() }) {
        var transaction = try environment.write(turn, .relaxed)
        try put(checkpoint, of: consumer, changes, in: &transaction)
        do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
        return
      }
      guard start.duration(to: .now) < limit else { throw environment.busy(for: limit) }
      // A separate task, because finished work is stored even if this task is cancelled. Here the cancelled
      // sleep would return at once and the loop would spin.
      await Task.detached { [pause] in try? await Task.sleep(for: pause) }.value
      pause = min(pause * 2, .milliseconds(10))
    }
  }

  private func put(
    _ checkpoint: Checkpoint?, of consumer: String, _ changes: [LetterChange],
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    if let checkpoint {
      let row = ConsumerRow(checkpoint: checkpoint, time: Timestamp.now.microseconds)
      try transaction.put(row.encoded(), consumer, in: checkpoints)
    }
    var changes = changes
    for (index, change) in changes.enumerated() {
      guard case .put(let key, var letter) = change else { continue }
      try raiseFormat(for: letter, in: &transaction)
      // A crash, or a checkpoint that was set, lets the consumer meet the entry again. A damaged letter is
      // replaced.
      let known = try? row(key, in: letters, transaction.view) { (bytes) throws(FormatFailure) in
        try DeadLetterRow(bytes)
      }
      guard let known, known.place == letter.place else { continue }
      letter.time = known.time
      changes[index] = .put(key: key, letter)
    }
    do throws(EnvironmentError) {
      for change in changes {
        switch change {
        case .put(let key, let row):
          let sealed = Row.seal(row.encoded(), key: key)
          try transaction.put(sealed.span, forKey: key.span, in: letters)
        case .replace(let key, let row):
          guard try transaction.value(forKey: key.span, in: letters) != nil else { continue }
          let sealed = Row.seal(row.encoded(), key: key)
          try transaction.put(sealed.span, forKey: key.span, in: letters)
        case .remove(let key):
          try transaction.delete(key: key.span, in: letters)
        }
      }
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Returns a consumer's dead letters in the order of positions.
  func letters(of consumer: String) throws(AnnalsError) -> [DeadLetter] {
    try read { (view) throws(AnnalsError) in
      var found: [DeadLetter] = []
      try eachLetter(of: consumer, view) { (key, value) throws(AnnalsError) in
        found.append(try letter(value, key))
      }
      return found
    }
  }

  /// Returns the keys of a consumer's dead letters.
  func letterKeys(of consumer: String) throws(AnnalsError) -> [[UInt8]] {
    try read { (view) throws(AnnalsError) in
      var keys: [[UInt8]] = []
      try eachLetter(of: consumer, view) { (key, _) in keys.append(key.copied) }
      return keys
    }
  }

  /// Returns the number of a consumer's dead letters, without reading them.
  func letterCount(of consumer: String) throws(AnnalsError) -> Int {
    try read { (view) throws(AnnalsError) in
      var count = 0
      try eachLetter(of: consumer, view) { (_, _) in count += 1 }
      return count
    }
  }

  /// Calls a closure with the key and value of each dead letter, in the order of positions.
  private func eachLetter(
    of consumer: String, _ view: TransactionView,
    _ body: (Span<UInt8>, Span<UInt8>) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    let start = DeadLetterRow.keyStart(consumer)
    var cursor: Cursor
    do throws(EnvironmentError) { cursor = try view.cursor(in: letters) } catch { throw AnnalsError(error) }
    var next: LMDB.Row?
    do throws(EnvironmentError) { next = try cursor.seek(start.span) } catch { throw AnnalsError(error) }
    while let row = next, row.key.copied.starts(with: start) {
      try body(row.key, row.value)
      next = try cursor.nextRow()
    }
  }

  private func letter(_ value: Span<UInt8>, _ key: Span<UInt8>) throws(AnnalsError) -> DeadLetter {
    try parsed(value, key: key, in: letters) { (bytes) throws(FormatFailure) in
      let (position, path) = try DeadLetterRow.place(in: key)
      let row = try DeadLetterRow(bytes)
      guard row.place.map({ $0.position == position }) ?? true else { throw FormatFailure(.value, at: 0) }
      return DeadLetter(row, position: position, path: path)
    }
  }

  /// Removes a consumer with its dead letters.
  func forget(_ consumer: String) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    let keys = try letterKeys(of: consumer)
    try write { (transaction) throws(AnnalsError) in
      do throws(EnvironmentError) {
        let name = Array(consumer.utf8)
        try transaction.delete(key: name.span, in: checkpoints)
        for key in keys { try transaction.delete(key: key.span, in: letters) }
      } catch {
        throw AnnalsError(error)
      }
    }
  }
}
