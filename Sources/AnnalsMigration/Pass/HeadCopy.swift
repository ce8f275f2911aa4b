internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Copies the rows that lead to the streams: `streams` and `heads`.
///
/// Links and positions do not change, so the rows are valid in the new generation once its log has reached
/// their snapshot. Each batch is read from its own snapshot. A row may be newer than the checkpoint and not
/// older, so the checkpoint is that of the first snapshot. The rows' own order shows where to continue.
struct HeadCopy {
  /// The maximum number of rows in a commit: fewer while a writer is active, which would wait.
  private static func batch(_ durability: Durability) -> Int { durability == .full ? 200_000 : 20_000 }

  let source: Generation
  let target: PassTarget
  /// The ids of the streams that lose their names.
  var nameless: Set<UInt64> = []

  /// Copies the next rows, and commits them.
  ///
  /// - Returns: The position of the newest entry that they may include; `nil` if none were left.
  func next(_ durability: Durability) throws(AnnalsError) -> UInt64? {
    try source.environment.read(failure: AnnalsError.init) { (snapshot) throws(AnnalsError) in
      let reader = StoreReader(snapshot.view, source.tables)
      let end = try reader.end()
      let batch = Self.batch(durability)
      var rest = batch
      try target.write(durability) { (transaction) throws(AnnalsError) in
        if try StoreReader(transaction.view, target.tables).isWithoutHeads() {
          var checkpoint: [UInt8] = []
          checkpoint.append(varint: end.checkpoint)
          try transaction.put(checkpoint, StoreMeta.Name.checkpoint.rawValue, in: target.tables.meta)
          try putPlaceholders(reader, &transaction)
        }
        try copyNames(reader, &rest, &transaction)
        try copyHeads(reader, &rest, &transaction)
      }
      return rest == batch ? nil : end.last
    }
  }

  private func copyNames(
    _ reader: StoreReader, _ rest: inout Int, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var cursor = try reader.streamsCursor()
    let last = try StoreReader(transaction.view, target.tables).lastName(except: nameless)
    // The seek finds the row that is there already: names are never removed.
    if let last { _ = try cursor.seekRow(last.span) }
    while rest > 0, let found = try cursor.nextRow() {
      let stream = try StoreReader.open(
        found.value, key: found.key, name: "a stream's name", in: source.tables.streams
      ) { (bytes) throws(FormatFailure) in try StreamRow(bytes) }
      if nameless.contains(stream.id.rawValue) { continue }
      do throws(EnvironmentError) {
        try transaction.put(near: found.value, forKey: found.key, in: target.tables.streams)
      } catch {
        throw AnnalsError(error)
      }
      rest -= 1
    }
  }

  /// Puts the rows of streams without names, if the older generation has rows of them.
  private func putPlaceholders(
    _ reader: StoreReader, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    for id in nameless.sorted() {
      guard try reader.storedID(of: reader.name(of: Position(id))) == Position(id) else { continue }
      let key = Array(SystemEntry.placeholder(of: Position(id)).text.utf8)
      let row = Row.seal(StreamRow(state: .live, id: Position(id)).encoded(), key: key)
      do { try transaction.put(row.span, forKey: key.span, in: target.tables.streams) } catch {
        throw AnnalsError(error)
      }
    }
  }

  private func copyHeads(
    _ reader: StoreReader, _ rest: inout Int, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    guard rest > 0 else { return }
    let last = try StoreReader(transaction.view, target.tables).lastHead()
    var cursor = try reader.cursor(in: source.tables.heads)
    if last > 0 { _ = try cursor.seekRow(last) }
    while rest > 0, let found = try cursor.nextRow() {
      let key = found.key
      try StoreReader.open(
        found.value, key: Row.key(key).span, name: "key \(key)", in: source.tables.heads
      ) { (_) throws(FormatFailure) in }
      do throws(EnvironmentError) {
        try transaction.append(near: found.value, forKey: key, in: target.tables.heads)
      } catch {
        throw AnnalsError(error)
      }
      rest -= 1
    }
  }
}

extension StoreReader {
  /// Whether no row of `streams` and `heads` is there.
  fileprivate func isWithoutHeads() throws(AnnalsError) -> Bool {
    try rowsOfHeads() == 0
  }

  /// The last name of `streams`, in the order of the table, that is no placeholder of some streams.
  fileprivate func lastName(except nameless: Set<UInt64>) throws(AnnalsError) -> [UInt8]? {
    let placeholders = nameless.map { Array(SystemEntry.placeholder(of: Position($0)).text.utf8) }
    var cursor = try streamsCursor()
    do throws(EnvironmentError) {
      var found = try cursor.last()
      while let row = found {
        let key = row.key.copied
        if !placeholders.contains(key) { return key }
        found = try cursor.previous()
      }
      return nil
    } catch {
      throw AnnalsError(error)
    }
  }

  /// The last id of `heads`; 0 where there is none.
  fileprivate func lastHead() throws(AnnalsError) -> UInt64 {
    var cursor = try cursor(in: tables.heads)
    do throws(EnvironmentError) { return try cursor.last()?.key ?? 0 } catch { throw AnnalsError(error) }
  }
}

extension Cursor {
  /// The first row whose key is not below `key`.
  @_lifetime(copy self)
  mutating func seekRow(_ key: Span<UInt8>) throws(AnnalsError) -> LMDB.Row? {
    do { return try seek(key) } catch { throw AnnalsError(error) }
  }
}

extension IntegerCursor {
  /// The first row whose key is not below `key`.
  @_lifetime(copy self)
  fileprivate mutating func seekRow(_ key: UInt64) throws(AnnalsError) -> IntegerRow? {
    do { return try seek(key) } catch { throw AnnalsError(error) }
  }
}
