internal import AnnalsCoding
internal import AnnalsFormat

/// The newest entries of streams, as a scan from the first entry of the log on has passed them.
///
/// It knows the target of each link of the next entry without looking at the entry there, which has been read
/// already. A trail takes one line of the processor's cache, because the next entry is mostly of another
/// stream. Of a log of very many streams only some are remembered at a time; unknown ones are looked up.
struct StreamTrails: ~Copyable {
  /// The maximum number of streams that are remembered, with about 80 bytes each.
  static let limit = 1 << 20

  /// The words of a trail.
  private enum Word {
    /// The stream's id, and in the lowest bit whether its first entry was passed and nothing missed since.
    /// The position of that entry is the id.
    static let id = 0
    /// The newest revision.
    static let revision = 1
    /// The positions of the newest revision that is a multiple of 1, of 4 and of 16; 0 where not known.
    static let levels = 2..<5
    /// The newest revision with an id, plus 1; 0 where none was seen.
    static let newestID = 5
    /// What the row of `heads` says of the newest id, plus 1 (0: none).
    static let storedID = 6
    /// The hash of the stream's name; 0 where its first entry was not passed.
    static let name = 7
  }

  private static let words = 8
  private static let first = 1024
  private static let unknown = UInt64.max

  private let most: Int
  private var memory = PageMemory(count: first * words)
  private var room = first
  private var index = SlotIndex(capacity: first)
  private var count = 0
  /// The positions for multiples of 64 and more, of trails that are so long.
  private var deep: [Int: [UInt64]] = [:]

  /// No trails yet.
  ///
  /// - Parameter most: How many streams are remembered at most.
  init(most: Int = limit) {
    self.most = most
  }

  private static func tag(_ id: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (id &* 0x9e37_79b9_7f4a_7c15) >> 32)
  }

  private func find(_ id: UInt64) -> Int? {
    index.find(Self.tag(id)) { memory[$0 * Self.words + Word.id] >> 1 == id }
  }

  private func word(_ trail: Int, _ word: Int) -> UInt64 { memory[trail * Self.words + word] }

  private mutating func set(_ trail: Int, _ word: Int, _ value: UInt64) {
    memory[trail * Self.words + word] = value
  }

  private mutating func add(_ id: UInt64) -> Int {
    if count == most {
      (count, deep) = (0, [:])
      index = SlotIndex(capacity: Self.first)
    }
    if count == room {
      memory.double()
      room *= 2
    }
    let trail = count
    count += 1
    index.insert(Self.tag(id), trail)
    reset(trail, id)
    set(trail, Word.storedID, Self.unknown)
    set(trail, Word.name, 0)
    return trail
  }

  /// Forgets the entries that were passed, but neither the name nor the row of `heads`.
  private mutating func reset(_ trail: Int, _ id: UInt64) {
    set(trail, Word.id, id << 1)
    for level in Word.levels { set(trail, level, 0) }
    set(trail, Word.newestID, 0)
    if !deep.isEmpty { deep[trail] = nil }
  }

  private func position(_ trail: Int, atLevel level: Int) -> UInt64 {
    let inline = Word.levels.count
    let known =
      if level < inline {
        word(trail, Word.levels.lowerBound + level)
      } else if let deep = deep[trail], level - inline < deep.count {
        deep[level - inline]
      } else {
        UInt64(0)
      }
    if known != 0 { return known }
    // The first revision is a multiple of everything.
    let id = word(trail, Word.id)
    return id & 1 == 0 ? 0 : id >> 1
  }

  private mutating func set(_ trail: Int, atLevel level: Int, _ position: UInt64) {
    let inline = Word.levels.count
    if level < inline {
      set(trail, Word.levels.lowerBound + level, position)
    } else {
      // Levels come in order, except after a gap.
      while deep[trail, default: []].count <= level - inline { deep[trail, default: []].append(0) }
      deep[trail]?[level - inline] = position
    }
  }

  /// Begins to load where the trail of a stream is looked for.
  func prefetchIndex(_ stream: Position) {
    index.prefetch(Self.tag(stream.rawValue))
  }

  /// Begins to load the trail of a stream.
  func prefetchTrail(_ stream: Position) {
    if let trail = index.likely(Self.tag(stream.rawValue)) { memory.prefetch(trail * Self.words) }
  }

  /// Continues to an entry, the next of its stream.
  ///
  /// - Returns: For each of its links the position of the entry that it must lead to; 0 where that is not
  ///   known.
  mutating func advance(to entry: PassedEntry) -> EntryLinks {
    let (id, revision) = (entry.stream.rawValue, entry.revision.rawValue)
    let known = find(id)
    let trail = known ?? add(id)
    if known == nil || word(trail, Word.revision) &+ 1 != revision {
      reset(trail, id)
      if revision == 0 { set(trail, Word.id, id << 1 | 1) }
    }
    set(trail, Word.revision, revision)
    var targets = EntryLinks()
    let levels = Head.levels(dividing: entry.revision)
    for level in 0..<levels {
      targets.append(position(trail, atLevel: level))
      set(trail, atLevel: level, entry.position.rawValue)
    }
    if levels == 0 { set(trail, atLevel: 0, entry.position.rawValue) }
    if entry.hasID { set(trail, Word.newestID, revision &+ 1) }
    if let name = entry.name { set(trail, Word.name, max(name.low, 1)) }
    return targets
  }

  /// What the row of `heads` says of a stream's newest id, if it is remembered: its revision plus 1, or 0 for
  /// none.
  func storedID(of stream: Position) -> UInt64? {
    guard let trail = find(stream.rawValue), word(trail, Word.storedID) != Self.unknown else { return nil }
    return word(trail, Word.storedID)
  }

  /// Remembers what the row of `heads` says of a stream's newest id.
  mutating func remember(storedID: Revision?, of stream: Position) {
    guard let trail = find(stream.rawValue) else { return }
    set(trail, Word.storedID, storedID.map { $0.rawValue + 1 } ?? 0)
  }

  /// Whether the first entry of a stream has this name; `false` also if that is not known.
  func confirms(name: StreamHash, of stream: Position) -> Bool {
    guard let trail = find(stream.rawValue) else { return false }
    return word(trail, Word.name) == max(name.low, 1)
  }

  /// Whether the entries that were passed are those that a row of `heads` leads to; `false` also where that
  /// is not known.
  func confirms(_ head: Head) -> Bool {
    guard let trail = find(head.id.rawValue), word(trail, Word.levels.lowerBound) != 0,
      word(trail, Word.revision) == head.revision.rawValue,
      word(trail, Word.newestID) == head.newestID.map({ $0.rawValue + 1 }) ?? 0
    else { return false }
    return (0...head.levels.count).allSatisfy {
      position(trail, atLevel: $0) == head.newest(atLevel: $0).rawValue
    }
  }
}
