internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Compares the chains of tags with the entries, in the order of the log, and then with the table `tags`.
struct TagCheck {
  /// The number of chains that are remembered, with about 150 bytes each. Beyond it all are forgotten, and
  /// the entries that links lead to are read.
  private static let limit = 1 << 20

  /// The table; `nil` if the store has none.
  let table: Table?
  /// Whether the store says that entries may have tags.
  let isExpected: Bool
  /// The number of chains that begin in the log.
  private(set) var chains: UInt64 = 0
  private var heads: [TagChainID: Known] = [:]
  private var names: [StreamHash: TagChainID] = [:]

  /// A chain as far as it was read.
  private struct Known {
    var head: TagHead
    /// The hash of its text; `nil` while all of its entries are erased.
    var name: StreamHash?
    /// Whether an entry did not follow from those before it. Later ones are compared with the entries that
    /// they lead to, so that each place is named once.
    var isBroken = false
  }
  /// Whether chains were forgotten.
  private var hasForgotten = false

  init(_ table: Table?, isExpected: Bool) {
    self.table = table
    self.isExpected = isExpected
  }

  /// Checks the tags of an entry.
  ///
  /// - Returns: The problems; empty for none.
  mutating func check(
    _ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> [String] {
    guard header.flags.contains(.extensions) else { return [] }
    var tags: [StoredTag] = []
    do throws(FormatFailure) {
      try header.eachTag(in: bytes, at: position) { tag in
        tags.append(tag)
        return true
      }
    } catch {
      return ["the tags are not valid: \(error)"]
    }
    guard !tags.isEmpty else { return [] }
    if !isExpected { return ["it has tags, and 'requires' does not say that the store has any"] }
    var problems: [String] = []
    var before: EventTag?
    for (index, stored) in tags.enumerated() {
      if stored.chain != nil {
        if try !advance(stored, text: nil, index, bytes, position, reader) {
          problems.append("the links of its tag number \(index + 1) lead elsewhere")
        }
        continue
      }
      let tag: EventTag
      do throws(FormatFailure) { tag = EventTag(try bytes.text(in: stored.text)) } catch {
        problems.append("a tag is no valid text: \(error)")
        continue
      }
      if let before, before >= tag { problems.append("its tags are not in the order of their bytes") }
      before = tag
      if try !advance(stored, text: tag, index, bytes, position, reader) {
        problems.append("the links of its tag '\(tag)' lead elsewhere")
      }
    }
    return problems
  }

  /// Continues the chain of a tag.
  ///
  /// - Returns: Whether the entry is the next one of the chain, with the links that it must have.
  private mutating func advance(
    _ stored: StoredTag, text: EventTag?, _ index: Int, _ bytes: Span<UInt8>, _ position: Position,
    _ reader: StoreReader
  ) throws(AnnalsError) -> Bool {
    let hash = text.map { StreamHash($0.text.utf8.span) }
    let at = position.rawValue
    if stored.ordinal == 0 {
      chains += 1
      let head = TagHead(beginningAt: at, index: index)
      if let chain = stored.chain, chain != head.chain { return false }
      // A tag has one chain.
      if let hash, names[hash] != nil { return false }
      remember(Known(head: head, name: hash))
      return true
    }
    guard let chain = try chain(of: stored, text, hash, reader) else { return false }
    // It may have begun before the others were forgotten.
    guard var known = heads[chain], !known.isBroken, hash == nil || known.name == nil || known.name == hash
    else { return try follow(stored, hash, chain, bytes, position, reader) }
    guard known.head.ordinal + 1 == stored.ordinal, known.head.last < at else {
      heads[chain]?.isBroken = true
      return false
    }
    let links = known.head.extend(to: at)
    known.name = known.name ?? hash
    remember(known)
    for level in 0..<links.count {
      do throws(FormatFailure) {
        guard try stored.linked(level: level, from: at, in: bytes) == at - links[level] else { return false }
      } catch {
        return false
      }
    }
    return true
  }

  private mutating func remember(_ known: Known) {
    if heads.count >= Self.limit {
      heads.removeAll(keepingCapacity: true)
      names.removeAll(keepingCapacity: true)
      hasForgotten = true
    }
    heads[known.head.chain] = known
    if let name = known.name { names[name] = known.head.chain }
  }

  /// The chain of a stored tag; `nil` if the table has no row for it.
  private func chain(
    of stored: StoredTag, _ text: EventTag?, _ hash: StreamHash?, _ reader: StoreReader
  ) throws(AnnalsError) -> TagChainID? {
    if let chain = stored.chain { return chain }
    if let hash, let chain = names[hash] { return chain }
    // The entries of the chain so far are erased, or the chain was forgotten.
    guard let text, let table else { return nil }
    return try reader.tagHead(of: text, in: table)?.chain
  }

  /// Whether the entry that the first link leads to is the one before it in the chain.
  private func follow(
    _ stored: StoredTag, _ name: StreamHash?, _ chain: TagChainID, _ bytes: Span<UInt8>, _ position: Position,
    _ reader: StoreReader
  ) throws(AnnalsError) -> Bool {
    var candidates: [(chain: TagChainID?, text: EventTag)] = []
    do throws(FormatFailure) {
      let found = Position(try stored.linked(level: 0, from: position.rawValue, in: bytes))
      guard let other = try reader.bytesIfPresent(at: found) else { return false }
      var tags: [StoredTag] = []
      try EntryHeader(other, at: found).eachTag(in: other, at: found) { tag in
        if tag.ordinal == stored.ordinal - 1 { tags.append(tag) }
        return true
      }
      for tag in tags { candidates.append((tag.chain, EventTag(try other.text(in: tag.text)))) }
    } catch {
      return false
    }
    for candidate in candidates {
      if let other = candidate.chain {
        if other == chain { return true }
        continue
      }
      let hash = StreamHash(candidate.text.text.utf8.span)
      if let name {
        if name == hash { return true }
        continue
      }
      // Of an erased entry only the chain is known.
      if let known = names[hash] {
        if known == chain { return true }
      } else if let table, try reader.tagHead(of: candidate.text, in: table)?.chain == chain {
        return true
      }
    }
    return false
  }

  /// Compares a row of the table with the chain.
  ///
  /// - Returns: Whether the row leads to the newest entry of the chain, as far as that is known.
  func confirms(_ tag: EventTag, _ head: TagHead, _ reader: StoreReader) -> Bool {
    let hash = StreamHash(tag.text.utf8.span)
    if let chain = names[hash], chain != head.chain { return false }
    if let known = heads[head.chain] {
      guard known.name.map({ $0 == hash }) ?? true else { return false }
      if !known.isBroken { return known.head == head }
    } else if !hasForgotten {
      return false
    }
    do throws(AnnalsError) {
      let position = Position(head.last)
      let bytes = try reader.bytes(at: position)
      let chain = TagChain(tag: tag, head: head)
      _ = try chain.stored(in: bytes, reader.header(bytes, at: position), at: chain.newest)
      return true
    } catch {
      return false
    }
  }
}

extension StoreReader {
  /// The bytes of the entry at `position`; `nil` if there is none, or the page cannot be read.
  @_lifetime(copy self)
  fileprivate func bytesIfPresent(at position: Position) throws(FormatFailure) -> Span<UInt8>? {
    do throws(EnvironmentError) { return try view.value(forKey: position.rawValue, in: tables.entries) } catch
    {
      throw FormatFailure(.tooShort, at: 0)
    }
  }
}

extension TableCheck {
  /// Compares each row of `tags` with the chain of its tag.
  mutating func checkTags(_ log: borrowing EntryCheck) throws(AnnalsError) {
    let check = log.tags
    guard let table = check.table else {
      if check.isExpected { add("table 'tags'", "it is missing") }
      return
    }
    var rows: UInt64 = 0
    var cursor: Cursor
    do throws(EnvironmentError) { cursor = try reader.view.cursor(in: table) } catch {
      throw AnnalsError(error)
    }
    while let row = try cursor.nextRow() {
      rows += 1
      let text = String(decoding: row.key.copied, as: UTF8.self)
      let place = "table 'tags', key '\(text)'"
      do throws(AnnalsError) {
        let head = try StoreReader.open(row.value, key: row.key, name: "key '\(text)'", in: table) {
          (bytes) throws(FormatFailure) in try TagHead(bytes)
        }
        if !check.confirms(EventTag(text), head, reader) {
          add(place, "it does not lead to the newest entry with the tag")
        }
      } catch {
        add(error, place: place)
      }
    }
    if !check.isExpected, rows > 0 {
      add("table 'tags'", "it has \(rows) rows, and 'requires' does not say that the store has tags")
    } else if !log.hasUnreadable, rows != check.chains {
      add("table 'tags'", "it has \(rows) rows, and the log has \(check.chains) chains of tags")
    }
  }
}
