import FaultPrograms
import Foundation

/// Processes that are killed at random moments and started again, several at a time.
struct Herd {
  /// One of the processes, through all its lives.
  private struct Slot {
    var arguments: [String]
    var child: Child
    let begun = Journal.now
    /// The time of its kill; `nil` if that is decided once it has reported that it is ready.
    var end: UInt64?
  }

  private var slots: [Slot] = []
  private var random: SeededGenerator
  private let delay: ClosedRange<UInt64>
  /// The longest time that one took until it was ready, in nanoseconds.
  private var slowest: UInt64 = 20_000_000
  /// The number of kills.
  private(set) var kills = 0
  /// The number of kills before the process had opened the store.
  private(set) var early = 0
  /// The end of each process that ended by itself.
  private(set) var ends: [String] = []

  /// Starts a process for each list of arguments. The number of the life, which is also its seed, is added at
  /// their end.
  ///
  /// - Parameter delay: The number of microseconds that a ready process lives.
  init(_ processes: [[String]], delay: ClosedRange<UInt64>, seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    self.delay = delay
    for arguments in processes {
      try slots.append(begin(arguments))
    }
  }

  private mutating func begin(_ arguments: [String]) throws -> Slot {
    let seed = String(random.next() >> 2)
    var slot = Slot(
      arguments: arguments, child: try Child([Child.program] + arguments.map { $0 == "SEED" ? seed : $0 }))
    // One in five is killed while it starts or opens the store, or soon after.
    if Int.random(in: 0..<5, using: &random) == 0 {
      slot.end = slot.begun + UInt64.random(in: 0...slowest, using: &random)
    }
    return slot
  }

  /// Kills and restarts processes until `count` have been killed, then kills all.
  mutating func run(kills count: Int) throws {
    while kills < count {
      for index in slots.indices { try step(index) }
      usleep(200)
    }
    for slot in slots { try slot.child.kill() }
  }

  private mutating func step(_ index: Int) throws {
    let now = Journal.now
    if let end = try slots[index].child.ended() {
      ends.append("\(slots[index].arguments.joined(separator: " ")): \(end): \(slots[index].child.text())")
    } else if let end = slots[index].end {
      guard now >= end else { return }
      if !slots[index].child.speaks(within: 0) { early += 1 }
      try slots[index].child.kill()
      kills += 1
    } else {
      if slots[index].child.speaks(within: 0) {
        slowest = max(slowest, now - slots[index].begun)
        slots[index].end = now + UInt64.random(in: delay, using: &random) * 1000
      }
      return
    }
    slots[index] = try begin(slots[index].arguments)
  }
}
