public import AnnalsCoding
public import AnnalsLog

extension EventLog {
  /// Returns the checkpoint that the store keeps for a consumer; `nil` if there is none.
  ///
  /// - Parameter consumer: 1 to 500 bytes of UTF-8 without NUL.
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged`, `formatVersion`, `tooManyReaders` or
  ///   `inputOutput`.
  public func checkpoint(of consumer: String) throws(AnnalsError) -> Checkpoint? {
    try NameRule.check(consumer, role: "consumer")
    return try core.consumers(creating: false)?.checkpoint(of: consumer)
  }

  /// Stores the checkpoint of a consumer, for ``SubscriptionStart/stored(_:)``.
  ///
  /// A power loss may lose the last checkpoint but no earlier one; some entries are then delivered again. If
  /// a consumer keeps its own state elsewhere, store the checkpoint there too, in the same transaction. Every
  /// entry then takes effect once.
  ///
  /// The call fails while a task of any process handles entries for the name, because that task would
  /// overwrite the checkpoint with its own.
  ///
  /// - Throws: As ``checkpoint(of:)``, `busy` while the consumer is processing, and `readOnly`, `permission`,
  ///   `diskFull`, `notCommitted` or `outcomeUnknown`.
  /// - Complexity: One flush to disk.
  public func keep(_ checkpoint: Checkpoint, of consumer: String) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    let file = try createdConsumers()
    let turn = try ConsumerTurn.take(consumer, in: file)
    try file.keep(checkpoint, of: consumer)
    _ = consume turn
  }

  /// Removes a consumer's checkpoint and its dead letters.
  ///
  /// - Throws: As ``keep(_:of:)``, and `busy` while it is processing.
  public func forget(consumer: String) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    try mustChangeConsumers()
    guard let file = try core.consumers(creating: false) else { return }
    let turn = try ConsumerTurn.take(consumer, in: file)
    try file.forget(consumer)
    _ = consume turn
  }

  /// Returns the consumers that keep their checkpoints in the store, by name.
  ///
  /// - Throws: As ``checkpoint(of:)``.
  public func consumers() throws(AnnalsError) -> [ConsumerInfo] {
    guard let file = try core.consumers(creating: false) else { return [] }
    let last = try read { (snapshot) throws(AnnalsError) in try snapshot.head()?.rawValue ?? 0 }
    var infos: [ConsumerInfo] = []
    for (name, row) in try file.all() {
      let position = row.checkpoint.position.rawValue
      infos.append(
        ConsumerInfo(
          name: name, checkpoint: row.checkpoint, time: Timestamp(microseconds: row.time),
          lag: last > position ? last - position : 0, deadLetters: try file.letterCount(of: name)))
    }
    return infos
  }

  /// Returns a consumer's dead letters in the order of positions.
  ///
  /// - Throws: As ``checkpoint(of:)``.
  public func deadLetters(_ consumer: String) throws(AnnalsError) -> [DeadLetter] {
    try NameRule.check(consumer, role: "consumer")
    return try core.consumers(creating: false)?.letters(of: consumer) ?? []
  }

  /// Removes dead letters of a consumer. Their entries are not handled any more.
  ///
  /// - Throws: As ``keep(_:of:)``.
  public func remove(_ letters: [DeadLetter], of consumer: String) throws(AnnalsError) {
    try createdConsumers().keep(
      nil, of: consumer,
      letters.map { .remove(key: DeadLetterRow.key(consumer, $0.position, $0.path)) })
  }
}
