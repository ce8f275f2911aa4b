internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsSchema

/// The scans of the log, their runners and their positions. It only answers; it starts nothing itself.
///
/// Views at about the same position share a scan, so the log is read and decoded once for all of them.
struct ScanTable: Sendable {
  /// A runner on a scan.
  struct Member: Equatable, Sendable {
    /// The number of the runner.
    let number: Int
    /// The cases that its projection selects; `nil` for all.
    let cases: Set<Int>?
  }

  /// One scan.
  struct Scan: Sendable {
    /// The position after which it reads next.
    var position: UInt64
    var members: [Member]
    /// Whether it follows the end of the log.
    var isLive = false
    /// Whether all of its runners know that the log ends where they are.
    var haveSeenEnd = false
    /// Whether a runner has joined since the last step.
    var hasJoined = true
    /// The steps of the plan whose entries its runners want; `nil` for all.
    var wanted: Set<Int>?
  }

  /// The next step of a scan.
  struct Step: Sendable {
    let position: UInt64
    let runners: [Int]
    let wanted: Set<Int>?
    let isLive: Bool
    let haveSeenEnd: Bool
  }

  /// The greatest distance in entries between two views that share a scan from choice. Reading that many
  /// again takes some milliseconds.
  private static var reach: UInt64 { 50_000 }
  /// The most scans that do not follow the end of the log. Each has a thread.
  static var most: Int { 3 }

  private(set) var scans: [UInt64: Scan] = [:]
  private var numbers: UInt64 = 0
  private let plan: CompiledPlan

  init(_ plan: CompiledPlan) {
    self.plan = plan
  }

  /// Adds a runner to a scan that reads after a position.
  ///
  /// - Returns: The number of the scan, and whether it has to be started.
  mutating func join(_ member: Member, after position: UInt64) -> (number: UInt64, isNew: Bool) {
    let near = scans.filter { distance($0.value.position, position) <= Self.reach }
    if let number = near.keys.first(where: { near[$0]?.isLive == true }) ?? near.keys.min() {
      add([member], to: number, position)
      return (number, false)
    }
    return joinApart(member, position)
  }

  /// Adds a runner to a scan that does not follow the end of the log: a new one, or the nearest if there are
  /// enough.
  private mutating func joinApart(_ member: Member, _ position: UInt64) -> (number: UInt64, isNew: Bool) {
    let others = scans.filter { !$0.value.isLive }
    if others.count >= Self.most,
      let nearest = others.min(by: {
        (distance($0.value.position, position), $0.key) < (distance($1.value.position, position), $1.key)
      })
    {
      add([member], to: nearest.key, position)
      return (nearest.key, false)
    }
    numbers += 1
    scans[numbers] = Scan(position: position, members: [])
    add([member], to: numbers, position)
    return (numbers, true)
  }

  private func distance(_ left: UInt64, _ right: UInt64) -> UInt64 {
    left > right ? left - right : right - left
  }

  private mutating func add(_ members: [Member], to number: UInt64, _ position: UInt64) {
    guard var scan = scans[number] else { return }
    scan.members += members
    scan.position = min(scan.position, position)
    scan.hasJoined = true
    scan.haveSeenEnd = false
    scan.wanted = wanted(by: scan.members)
    scans[number] = scan
  }

  /// Returns the steps of the plan whose entries some runners want; `nil` for all.
  func wanted(by members: [Member]) -> Set<Int>? {
    var steps: Set<Int> = []
    for member in members {
      guard let cases = member.cases else { return nil }
      for number in cases { steps.formUnion(plan.sources(of: number)) }
    }
    return steps
  }

  /// Removes a runner from its scan.
  ///
  /// - Returns: The runner as it was on the scan; `nil` if it was on none.
  @discardableResult
  mutating func leave(_ runner: Int) -> Member? {
    for (number, scan) in scans {
      guard let index = scan.members.firstIndex(where: { $0.number == runner }) else { continue }
      var scan = scan
      let member = scan.members.remove(at: index)
      scan.wanted = wanted(by: scan.members)
      scans[number] = scan
      return member
    }
    return nil
  }

  /// Ends a scan that cannot continue, so that no runner joins it.
  ///
  /// - Returns: The runners of the scan.
  mutating func end(_ number: UInt64) -> [Int] {
    scans.removeValue(forKey: number)?.members.map(\.number) ?? []
  }

  /// Moves a runner that delays others to a scan that does not follow the end of the log.
  ///
  /// - Returns: The number of that scan, and whether it has to be started; `nil` if the runner has left
  ///   already.
  mutating func detach(_ runner: Int, after position: UInt64) -> (number: UInt64, isNew: Bool)? {
    leave(runner).map { joinApart($0, position) }
  }

  /// Returns the next step of a scan; `nil` if it has no runner any more and has ended.
  mutating func step(of number: UInt64) -> Step? {
    guard let scan = scans[number], !scan.members.isEmpty else {
      scans[number] = nil
      return nil
    }
    scans[number]?.hasJoined = false
    return Step(
      position: scan.position, runners: scan.members.map(\.number), wanted: scan.wanted, isLive: scan.isLive,
      haveSeenEnd: scan.haveSeenEnd)
  }

  /// Records that a scan has read from one position to another, unless it has to go back meanwhile.
  mutating func passed(_ number: UInt64, from old: UInt64, to new: UInt64, isLast: Bool) {
    guard var scan = scans[number] else { return }
    // A runner that has joined meanwhile has not received the page, and receives it next.
    if scan.position == old, !scan.hasJoined { scan.position = new }
    scan.haveSeenEnd = isLast && !scan.hasJoined
    scans[number] = scan
  }

  /// Records that a scan has reached the end of the log, and moves its runners to the scan that already
  /// follows it.
  ///
  /// - Returns: Whether there was another.
  mutating func merge(_ number: UInt64) -> Bool {
    guard let scan = scans[number] else { return true }
    guard let live = scans.first(where: { $0.key != number && $0.value.isLive })?.key else {
      scans[number]?.isLive = true
      return false
    }
    add(scan.members, to: live, scan.position)
    scans[number] = nil
    return true
  }

  /// Whether a runner follows the end of the log.
  func isLive(_ runner: Int) -> Bool {
    scans.values.contains { $0.isLive && $0.members.contains { $0.number == runner } }
  }
}
