public import AnnalsCoding

extension EventLog {
  /// How far a consumer is that keeps its checkpoint in the store; `nil` where it has none.
  ///
  /// - Parameter consumer: 1 to 500 bytes of UTF-8 without NUL.
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged`, `formatVersion`, `tooManyReaders` or `inputOutput`.
  public func checkpoint(of consumer: String) throws(AnnalsError) -> Checkpoint? {
    try NameRule.check(consumer, role: "consumer")
    return try core.consumers(creating: false)?.checkpoint(of: consumer)
  }

  /// Keeps how far a consumer is, for ``SubscriptionStart/stored(_:)``.
  ///
  /// A power cut may take the last checkpoint, never more: then some entries come again. A consumer that keeps its own state elsewhere keeps the checkpoint there as well, in the same
  /// transaction, and every entry takes effect once.
  ///
  /// While a task of any process handles entries for the name, the call fails: that task would store its own
  /// checkpoint over this one.
  ///
  /// - Throws: As ``checkpoint(of:)``, `busy` while the consumer is processing, and `readOnly`, `permission`,
  ///   `diskFull`, `notCommitted` or `outcomeUnknown`.
  /// - Complexity: One flush to disk.
  public func keep(_ checkpoint: Checkpoint, of consumer: String) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    let file = try core.createdConsumers()
    let turn = try ConsumerTurn.take(consumer, in: file)
    try file.keep(checkpoint, of: consumer)
    _ = consume turn
  }

  /// Forgets how far a consumer is, and what it has put aside.
  ///
  /// - Throws: As ``keep(_:of:)``, and `busy` while it is processing.
  public func forget(consumer: String) throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    guard let file = try core.consumers(creating: false) else { return }
    let turn = try ConsumerTurn.take(consumer, in: file)
    try file.forget(consumer)
    _ = consume turn
  }

  /// The consumers that keep their checkpoints in the store, by name.
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

  /// What a consumer has put aside, in the order of positions.
  ///
  /// - Throws: As ``checkpoint(of:)``.
  public func deadLetters(_ consumer: String) throws(AnnalsError) -> [DeadLetter] {
    try NameRule.check(consumer, role: "consumer")
    return try core.consumers(creating: false)?.letters(of: consumer) ?? []
  }

  /// Removes entries from what a consumer has put aside; they are not handled any more.
  ///
  /// - Throws: As ``keep(_:of:)``.
  public func remove(_ letters: [DeadLetter], of consumer: String) throws(AnnalsError) {
    try core.createdConsumers().keep(
      nil, of: consumer,
      letters.map { .remove(key: DeadLetterRow.key(consumer, $0.position, $0.path)) })
  }
}
