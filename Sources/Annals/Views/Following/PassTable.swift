internal import AnnalsSchema

/// Who is on which pass through the log, and where each pass stands. It only answers.
struct PassTable<Event: SchemaEvent> {
  /// One pass.
  struct Pass {
    /// Behind which position it reads next.
    var position: UInt64
    var tracks: [ViewTrack<Event>]
    /// Whether it follows the end of the log.
    var isLive = false
    /// Whether all of its tracks were told that the log ends where they are.
    var haveSeenEnd = false
    /// Whether a track has come since the last step.
    var hasJoined = true
    /// What its tracks want; `nil` for everything.
    var wanted: Set<Int>?
  }

  /// What a pass does next.
  struct Step {
    let position: UInt64
    let tracks: [ViewTrack<Event>]
    let wanted: Set<Int>?
    let isLive: Bool
    let haveSeenEnd: Bool
  }

  /// How many entries apart two views may be that are read for together: to read so many again takes some milliseconds.
  private static var reach: UInt64 { 50_000 }

  private(set) var passes: [UInt64: Pass] = [:]
  private var numbers: UInt64 = 0
  private let plan: CompiledPlan

  init(_ plan: CompiledPlan) {
    self.plan = plan
  }

  /// Lets a track be read for behind a position.
  ///
  /// - Returns: The number of the pass, and whether it has to be started.
  mutating func join(_ track: ViewTrack<Event>, behind position: UInt64) -> (number: UInt64, isNew: Bool) {
    let near = passes.filter { distance($0.value.position, position) <= Self.reach }
    if let number = near.keys.first(where: { near[$0]?.isLive == true }) ?? near.keys.min() {
      add([track], to: number, position)
      return (number, false)
    }
    return (begin(track, behind: position), true)
  }

  /// Begins a pass for one track.
  private mutating func begin(_ track: ViewTrack<Event>, behind position: UInt64) -> UInt64 {
    numbers += 1
    passes[numbers] = Pass(position: position, tracks: [])
    add([track], to: numbers, position)
    return numbers
  }

  private func distance(_ left: UInt64, _ right: UInt64) -> UInt64 {
    left > right ? left - right : right - left
  }

  private mutating func add(_ tracks: [ViewTrack<Event>], to number: UInt64, _ position: UInt64) {
    guard var pass = passes[number] else { return }
    pass.tracks += tracks
    pass.position = min(pass.position, position)
    pass.hasJoined = true
    pass.haveSeenEnd = false
    pass.wanted = wanted(by: pass.tracks)
    passes[number] = pass
  }

  /// The steps of the plan whose entries some tracks want; `nil` for all.
  private func wanted(by tracks: [ViewTrack<Event>]) -> Set<Int>? {
    var steps: Set<Int> = []
    for track in tracks {
      guard let cases = track.face.selection.cases else { return nil }
      for number in cases { steps.formUnion(plan.sources(of: number)) }
    }
    return steps
  }

  /// Takes a track from the pass it is on.
  ///
  /// - Returns: Whether it was on one.
  @discardableResult
  mutating func leave(_ track: ViewTrack<Event>) -> Bool {
    for (number, pass) in passes {
      guard let index = pass.tracks.firstIndex(where: { $0 === track }) else { continue }
      var pass = pass
      pass.tracks.remove(at: index)
      pass.wanted = wanted(by: pass.tracks)
      passes[number] = pass
      return true
    }
    return false
  }

  /// Ends a pass that cannot go on, so that nobody joins it.
  ///
  /// - Returns: Who was on it.
  mutating func end(_ number: UInt64) -> [ViewTrack<Event>] {
    passes.removeValue(forKey: number)?.tracks ?? []
  }

  /// Lets a track that keeps others waiting go on by itself.
  ///
  /// - Returns: The number of the new pass; `nil` where it has left already.
  mutating func detach(_ track: ViewTrack<Event>, behind position: UInt64) -> UInt64? {
    leave(track) ? begin(track, behind: position) : nil
  }

  /// What a pass does next; `nil` where nobody is on it any more, and it has ended.
  mutating func step(of number: UInt64) -> Step? {
    guard let pass = passes[number], !pass.tracks.isEmpty else {
      passes[number] = nil
      return nil
    }
    passes[number]?.hasJoined = false
    return Step(
      position: pass.position, tracks: pass.tracks, wanted: pass.wanted, isLive: pass.isLive,
      haveSeenEnd: pass.haveSeenEnd)
  }

  /// Notes that a pass has read on from one position to another, unless it has to go back meanwhile.
  mutating func passed(_ number: UInt64, from old: UInt64, to new: UInt64, isLast: Bool) {
    guard var pass = passes[number] else { return }
    // Who has come meanwhile was not given the page, and is given it next.
    if pass.position == old, !pass.hasJoined { pass.position = new }
    pass.haveSeenEnd = isLast && !pass.hasJoined
    passes[number] = pass
  }

  /// Takes note that a pass has met the end of the log, and lets its tracks go on with the one that follows that already.
  ///
  /// - Returns: Whether there was another.
  mutating func merge(_ number: UInt64) -> Bool {
    guard let pass = passes[number] else { return true }
    guard let live = passes.first(where: { $0.key != number && $0.value.isLive })?.key else {
      passes[number]?.isLive = true
      return false
    }
    add(pass.tracks, to: live, pass.position)
    passes[number] = nil
    return true
  }

  /// Whether a track follows the end of the log.
  func isLive(_ track: ViewTrack<Event>) -> Bool {
    passes.values.contains { $0.isLive && $0.tracks.contains { $0 === track } }
  }
}
