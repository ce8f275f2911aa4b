package import AnnalsCoding
package import AnnalsFormat
package import LMDB

// Finding the heads of the streams that a call names, and deciding the call by them.
extension AppendGroup {
  /// Decides a call against the entries and the calls before it.
  mutating func decide(
    _ request: AppendRequest, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> AppendVerdict {
    let reader = StoreReader(transaction.view, tables)
    let mayMatch = try mayMatch(request.conditions, reader)
    // Most calls expect nothing, and then nothing is compared: their streams are looked up as their events
    // are put.
    guard mayMatch || request.hasIDs || request.hasExpectations || kinds.limitsStreams else {
      places.removeAll(keepingCapacity: true)
      return .accepted
    }
    try locate(request, in: transaction)
    var state = GroupState(
      reader: reader, parts: request.parts, ends: ends, search: search,
      hasMoved: try generation.hasMoved(in: reader), hasLimits: kinds.limitsStreams)
    if mayMatch {
      var kinds = kinds
      kinds.isUncommitted = !registered.isEmpty || hasRaisedEpoch
      state.conditions = ConditionCheck(
        conditions: request.conditions, last: last, kinds: kinds, generation: generation, tags: tags)
    }
    return try AppendDecision.decide(request, in: state)
  }

  /// Whether an entry may match a condition of a call: one that names no tag, or all of whose tags were used
  /// after its position. Mostly one was not, and then nothing of the log has to be read.
  private func mayMatch(
    _ conditions: [AppendCondition], _ reader: StoreReader
  ) throws(AnnalsError) -> Bool {
    if conditions.isEmpty { return false }
    let table = generation.environment.tags
    for place in conditions.indices {
      let after = conditions[place].after?.rawValue ?? 0
      guard after < last else { continue }
      if conditions[place].tags.hasUntagged { return true }
      var wereUsed = true
      for tag in conditions[place].tags.list {
        if wereUsed {
          let newest = try tags.last(of: tag.tag, tag.hash, in: table, reader)
          wereUsed = newest.map { $0 > after } ?? false
        }
        if tag.isLast {
          if wereUsed { return true }
          wereUsed = true
        }
      }
    }
    return false
  }

  /// Finds the heads of all streams of a call.
  package mutating func locate(
    _ request: AppendRequest, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) {
    try locate(request, request.parts.indices, in: transaction)
  }

  /// Finds the heads of the streams of some parts of a call.
  ///
  /// ``places`` and ``ends`` begin with the first of these parts.
  package mutating func locate(
    _ request: AppendRequest, _ parts: Range<Int>, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) {
    var found: [Place] = []
    var ends: [StreamEnd?] = []
    swap(&found, &places)
    swap(&ends, &self.ends)
    defer {
      swap(&found, &places)
      swap(&ends, &self.ends)
    }
    found.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    let tables = tables
    var next = parts.lowerBound
    while next < parts.upperBound {
      let end = min(next + Self.hold, parts.upperBound)
      try heads.withTable { (table) throws(AnnalsError) in
        while next < end {
          let run = next..<min(next + Self.run, end)
          for index in run { table.slots.prefetchIndex(request.parts[index].hash) }
          for index in run { table.slots.prefetchSlot(request.parts[index].hash) }
          for index in run {
            let place = try Self.locate(request, index, StoreReader(transaction.view, tables), &table)
            found.append(place)
            ends.append(place.id == 0 ? nil : table.slots.end(place.slot))
          }
          next = run.upperBound
        }
      }
    }
  }

  /// Returns the end of the stream of a part.
  @inline(__always)
  private static func locate(
    _ request: AppendRequest, _ index: Int, _ reader: StoreReader, _ table: inout HeadTable
  ) throws(AnnalsError) -> Place {
    if let slot = table.find(request.parts[index].hash), !table.slots.isPartial(slot) {
      return Place(slot: slot, id: table.slots.id(slot))
    }
    return try look(up: request.parts[index], reader, &table)
  }

  /// Returns the end of a stream that is not whole in memory.
  static func look(
    up part: AppendRequest.Part, _ reader: StoreReader, _ table: inout HeadTable
  ) throws(AnnalsError) -> Place {
    try look(up: part.stream, part.hash, reader, &table)
  }

  /// Returns the end of the stream called `stream`, whose hash is `hash`.
  package static func look(
    up stream: StreamName, _ hash: StreamHash, _ reader: StoreReader, _ table: inout HeadTable
  ) throws(AnnalsError) -> Place {
    if let slot = table.find(hash) { return try complete(slot, reader, &table) }
    if table.isComplete { return Place() }
    guard let id = try reader.storedID(of: stream) else { return Place() }
    if let slot = table.slots.find(id: id.rawValue) {
      table.name(slot, hash)
      return try complete(slot, reader, &table)
    }
    let row = try reader.storedHead(id: id)
    guard row.last.rawValue <= table.last else {
      throw AnnalsError(
        .damaged,
        "table 'heads', key \(id): it leads to position \(row.last), after the log's end at \(table.last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "heads" })
    }
    return Place(slot: table.load(row, hash), id: id.rawValue)
  }

  private static func complete(
    _ slot: Int, _ reader: StoreReader, _ table: inout HeadTable
  ) throws(AnnalsError) -> Place {
    try table.complete(slot, from: reader)
    return Place(slot: slot, id: table.slots.id(slot))
  }
}
