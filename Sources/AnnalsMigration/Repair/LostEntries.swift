internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// Identifies unreadable entries from the sound ones. It makes all decisions of a repair and reads nothing
/// itself.
///
/// It needs three passes over the log in the order of positions. The first finds the lost entries and the
/// links to them. The second finds the other revisions that the streams concerned lack. The third finds the
/// targets of the lost entries' links. Memory depends on the losses, not on the log.
struct LostEntries: Sendable {
  /// The maximum number of lost entries: a log that has lost more should be restored.
  static let limit = 10_000

  /// The known facts of a lost entry.
  struct Loss: Equatable, Sendable {
    /// Why it cannot be read.
    let problem: String
    /// The time of the nearest sound entry before it; `nil` if there is none.
    let time: Int64?
    /// The kind of that entry; `nil` if there is none.
    let kind: UInt32?
  }

  /// One entry of one stream.
  struct Place: Hashable, Sendable {
    /// The position of the stream's first entry.
    let stream: UInt64
    let revision: UInt64
  }

  /// A revision that a stream lacks, and no link leads to.
  private struct Gap {
    let place: Place
    /// It is between these positions.
    let after: UInt64
    let before: UInt64
  }

  /// How far the second look is in a stream.
  private struct Walk {
    /// The lost entries of the stream that something led to, the nearest last.
    var claimed: [(position: UInt64, revision: UInt64)] = []
    /// The revision that is to come.
    var next: UInt64 = 0
    /// Where the one before it is.
    var position: UInt64 = 0
  }

  /// The lost entries by position.
  private(set) var losses: [UInt64: Loss] = [:]
  /// The identified entries, by position. One that nothing leads to is not included.
  private(set) var places: [UInt64: Place] = [:]
  /// The lost entries that only the stream's order identifies. If several fit, it may be another one.
  private(set) var fitted: Set<UInt64> = []
  private var walks: [UInt64: Walk] = [:]
  private var gaps: [Gap] = []
  private var targets: [Place: UInt64] = [:]

  /// Whether nothing is lost.
  var isEmpty: Bool { losses.isEmpty }
  /// The positions of the lost entries, ascending.
  var positions: [UInt64] { losses.keys.sorted() }
}

/// The reason why lost entries cannot be identified.
struct LostEntriesFailure: Error, Equatable {
  /// Where it shows; `nil` if it is no one place.
  var position: UInt64?
  /// What is wrong, in words.
  var problem: String
}

// The first look.
extension LostEntries {
  /// Notes that the entry at `position` is lost.
  mutating func lose(_ position: UInt64, _ loss: Loss) throws(LostEntriesFailure) {
    guard losses.count < Self.limit else {
      throw LostEntriesFailure(
        position: position, problem: "more than \(Self.limit) entries cannot be read")
    }
    losses[position] = loss
  }

  /// Notes that a sound entry, or a sound row, says that the entry at `position` is the one of `place`.
  mutating func claim(_ position: UInt64, _ place: Place) throws(LostEntriesFailure) {
    guard losses[position] != nil else { return }
    guard places[position, default: place] == place else {
      throw LostEntriesFailure(
        position: position, problem: "what leads to the lost entry does not agree on what it was")
    }
    places[position] = place
  }
}

// The second look.
extension LostEntries {
  /// Begins the second look.
  mutating func beginWalk() {
    for (position, place) in places {
      walks[place.stream, default: Walk()].claimed.append((position, place.revision))
    }
    for stream in Array(walks.keys) { walks[stream]?.claimed.sort { $0.position > $1.position } }
  }

  /// Notes the sound entry at `position`.
  mutating func see(_ place: Place, at position: UInt64) throws(LostEntriesFailure) {
    guard var walk = walks[place.stream] else { return }
    try pass(&walk, place.stream, upTo: position)
    try step(&walk, place, at: position)
    walks[place.stream] = walk
  }

  /// Ends the second look: what nothing led to is fitted into the gaps that are left.
  mutating func endWalk() throws(LostEntriesFailure) {
    for stream in walks.keys.sorted() {
      guard var walk = walks[stream] else { continue }
      try pass(&walk, stream, upTo: .max)
    }
    walks = [:]
    try fit()
    for place in places.values {
      for level in 0..<Head.levels(dividing: Revision(place.revision)) {
        let revision = place.revision - Head.step(ofLevel: level)
        targets[Place(stream: place.stream, revision: revision)] = 0
      }
    }
    // What is lost itself is linked to as well.
    for (position, place) in places where targets[place] != nil { targets[place] = position }
  }

  /// Steps over the stream's lost entries before `end`.
  private mutating func pass(
    _ walk: inout Walk, _ stream: UInt64, upTo end: UInt64
  ) throws(LostEntriesFailure) {
    while let claimed = walk.claimed.last, claimed.position < end {
      walk.claimed.removeLast()
      try step(&walk, Place(stream: stream, revision: claimed.revision), at: claimed.position)
    }
  }

  private mutating func step(
    _ walk: inout Walk, _ place: Place, at position: UInt64
  ) throws(LostEntriesFailure) {
    let missing = place.revision.subtractingReportingOverflow(walk.next)
    guard !missing.overflow, missing.partialValue <= UInt64(losses.count - gaps.count) else {
      throw LostEntriesFailure(
        position: position,
        problem:
          "revision \(place.revision) of the stream that begins at \(place.stream) does not follow revision \(walk.next)"
      )
    }
    for revision in walk.next..<place.revision {
      gaps.append(
        Gap(
          place: Place(stream: place.stream, revision: revision), after: walk.position, before: position))
    }
    walk.next = place.revision + 1
    walk.position = position
  }

  /// Assigns to each gap a lost entry between its neighbours, always to the gap that must be filled first.
  /// This fills all of them if that is possible at all (earliest deadline first; Jackson 1955).
  private mutating func fit() throws(LostEntriesFailure) {
    var waiting = gaps.sorted { ($0.after, $0.place.revision) > ($1.after, $1.place.revision) }
    gaps = []
    var open: [Gap] = []
    for position in positions where places[position] == nil {
      while let gap = waiting.last, gap.after < position { open.append(waiting.removeLast()) }
      let first = open.indices.min {
        let (left, right) = (open[$0], open[$1])
        return (left.before, left.place.stream, left.place.revision)
          < (right.before, right.place.stream, right.place.revision)
      }
      guard let first, open[first].before > position else { continue }
      places[position] = open.remove(at: first).place
      fitted.insert(position)
    }
    guard let left = (open + waiting).first else { return }
    throw LostEntriesFailure(
      position: left.after,
      problem: "revision \(left.place.revision) of the stream that begins at \(left.place.stream) is nowhere")
  }
}

// The third look.
extension LostEntries {
  /// Whether the third look is needed.
  var needsTargets: Bool { targets.values.contains(0) }

  /// Notes the sound entry at `position`, to which links may have to lead.
  mutating func reach(_ place: Place, at position: UInt64) {
    if targets[place] != nil { targets[place] = position }
  }

  /// The links of the lost entry at `position`.
  func links(of position: UInt64) throws(LostEntriesFailure) -> EntryLinks {
    var links = EntryLinks()
    guard let place = places[position] else { return links }
    for level in 0..<Head.levels(dividing: Revision(place.revision)) {
      let revision = place.revision - Head.step(ofLevel: level)
      let target = targets[Place(stream: place.stream, revision: revision)] ?? 0
      guard target > 0, target < position else {
        throw LostEntriesFailure(
          position: position,
          problem: "revision \(revision) of the stream that begins at \(place.stream) is not before it")
      }
      links.append(position - target)
    }
    return links
  }
}
