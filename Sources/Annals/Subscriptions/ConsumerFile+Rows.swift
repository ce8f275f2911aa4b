internal import LMDB

extension ConsumerFile {
  /// How far a consumer is; `nil` where that was never stored.
  func checkpoint(of consumer: String) throws(AnnalsError) -> Checkpoint? {
    try NameRule.check(consumer, role: "consumer")
    return try read { (view) throws(AnnalsError) in
      try row(Array(consumer.utf8), in: checkpoints, view) { (bytes) throws(FormatFailure) in
        try ConsumerRow(bytes).checkpoint
      }
    }
  }

  /// All consumers with a checkpoint, in the order of their names' bytes.
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

  /// Stores how far a consumer is, and what it puts aside, in one transaction.
  func keep(
    _ checkpoint: Checkpoint?, of consumer: String, letters put: [(key: [UInt8], row: DeadLetterRow)] = [],
    removing removed: [[UInt8]] = []
  ) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    try write { (transaction) throws(AnnalsError) in
      if let checkpoint {
        let row = ConsumerRow(checkpoint: checkpoint, time: Timestamp.now.microseconds)
        try transaction.put(row.encoded(), consumer, in: checkpoints)
      }
      do throws(EnvironmentError) {
        for letter in put {
          let row = Row.seal(letter.row.encoded(), key: letter.key)
          try transaction.put(row.span, forKey: letter.key.span, in: letters)
        }
        for key in removed { try transaction.delete(key: key.span, in: letters) }
      } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Does what ``keep(_:of:letters:removing:)`` does on no actor, because it waits for the disk.
  @concurrent func store(
    _ checkpoint: Checkpoint?, of consumer: String, letters put: [(key: [UInt8], row: DeadLetterRow)] = [],
    removing removed: [[UInt8]] = []
  ) async throws(AnnalsError) {
    try keep(checkpoint, of: consumer, letters: put, removing: removed)
  }

  /// What a consumer has put aside, in the order of positions.
  func letters(of consumer: String) throws(AnnalsError) -> [DeadLetter] {
    let start = DeadLetterRow.keyStart(consumer)
    return try read { (view) throws(AnnalsError) in
      var found: [DeadLetter] = []
      var cursor: Cursor
      do throws(EnvironmentError) { cursor = try view.cursor(in: letters) } catch { throw AnnalsError(error) }
      do throws(EnvironmentError) {
        var next = try cursor.seek(start.span)
        while let row = next, row.key.copied.starts(with: start) {
          do throws(AnnalsError) { found.append(try letter(row.value, row.key)) } catch {
            throw .file(.damaged(file: "consumers.mdb", reason: error.message, offset: 0))
          }
          next = try cursor.next()
        }
      } catch {
        throw AnnalsError(error)
      }
      return found
    }
  }

  private func letter(_ value: Span<UInt8>, _ key: Span<UInt8>) throws(AnnalsError) -> DeadLetter {
    try parsed(value, key: key, in: letters) { (bytes) throws(FormatFailure) in
      let (position, path) = try DeadLetterRow.place(in: key)
      return DeadLetter(try DeadLetterRow(bytes), position: position, path: path)
    }
  }

  /// Forgets a consumer and what it has put aside.
  func forget(_ consumer: String) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    let keys = try letters(of: consumer).map { DeadLetterRow.key(consumer, $0.position, $0.path) }
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
