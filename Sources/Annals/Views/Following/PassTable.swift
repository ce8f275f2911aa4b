internal import AnnalsSchema

/// The passes through the log: their runners and their positions. It only answers; it starts nothing itself.
struct PassTable<Event: SchemaEvent> {
  /// One pass.
  struct Pass {
    /// The position after which it reads next.
    var position: UInt64
    var tracks: [ViewTrack<Event>]
    /// Whether it follows the end of the log.
    var isLive = false
    /// Whether all of its runners know that the log ends where they are.
    var haveSeenEnd = false
    /// Whether a runner has joined since the last step.
    var hasJoined = true
    /// The events that its runners want; `nil` for all.
    var wanted: Set<Int>?
  }

  /// The next step of a pass.
  struct Step {
    let position: UInt64
    let tracks: [ViewTrack<Event>]
    let wanted: Set<Int>?
    let isLive: Bool
    let haveSeenEnd: Bool
  }

  /// The greatest distance in entries between two views that share a pass. Reading that many again takes some
  /// milliseconds.
  private static var reach: UInt64 { 50_000 }

  private(set) var passes: [UInt64: Pass] = [:]
  private var numbers: UInt64 = 0
  private let plan: CompiledPlan

  init(_ plan: CompiledPlan) {
    self.plan = plan
  }

  /// Adds a runner to a pass that reads after a position.
  ///
  /// - Returns: The number of the pass, and whether it has to be started.
  mutating func join(_ track: ViewTrack<Event>, after position: UInt64) -> (number: UInt64, isNew: Bool) {
    let near = passes.filter { distance($0.value.position, position) <= Self.reach }
    if let number = near.keys.first(where: { near[$0]?.isLive == true }) ?? near.keys.min() {
      add([track], to: number, position)
      return (number, false)
    }
    return (begin(track, after: position), true)
  }

  /// Begins a pass for one runner.
  private mutating func begin(_ track: ViewTrack<Event>, after position: UInt64) -> UInt64 {
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

  /// Returns the steps of the plan whose entries some runners want; `nil` for all.
  private func wanted(by tracks: [ViewTrack<Event>]) -> Set<Int>? {
    var steps: Set<Int> = []
    for track in tracks {
      guard let cases = track.face.selection.cases else { return nil }
      for number in cases { steps.formUnion(plan.sources(of: number)) }
    }
    return steps
  }

  /// Removes a runner from its pass.
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

  /// Ends a pass that cannot continue, so that no runner joins it.
  ///
  /// - Returns: The runners of the pass.
  mutating func end(_ number: UInt64) -> [ViewTrack<Event>] {
    passes.removeValue(forKey: number)?.tracks ?? []
  }

  /// Moves a runner that delays others to a pass of its own.
  ///
  /// - Returns: The number of the new pass; `nil` if the runner has left already.
  mutating func detach(_ track: ViewTrack<Event>, after position: UInt64) -> UInt64? {
    leave(track) ? begin(track, after: position) : nil
  }

  /// Returns the next step of a pass; `nil` if it has no runner any more and has ended.
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

  /// Records that a pass has read from one position to another, unless it has to go back meanwhile.
  mutating func passed(_ number: UInt64, from old: UInt64, to new: UInt64, isLast: Bool) {
    guard var pass = passes[number] else { return }
    // A runner that has joined meanwhile has not received the page, and receives it next.
    if pass.position == old, !pass.hasJoined { pass.position = new }
    pass.haveSeenEnd = isLast && !pass.hasJoined
    passes[number] = pass
  }

  /// Records that a pass has reached the end of the log, and moves its runners to the pass that already
  /// follows it.
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

  /// Whether a runner follows the end of the log.
  func isLive(_ track: ViewTrack<Event>) -> Bool {
    passes.values.contains { $0.isLive && $0.tracks.contains { $0 === track } }
  }
}
