import Testing

@testable import Annals
@testable import AnnalsMigration

/// What a pass decides, without any file.
@Suite struct PassMachineTests {
  /// A log that grows while a pass follows its machine; the laws of the order are checked at each step.
  private struct Simulation {
    var random: SeededGenerator
    var machine: PassMachine
    var last: UInt64
    /// How many entries a writer adds in the time of one step at most.
    var growth: UInt64
    var sealed = false
    var steps = 0
    /// The newest entry that rows of heads speak of.
    var rows: UInt64 = 0
    var isWhole = false
    var wasVerified = false
    var slowed = 0

    mutating func run() {
      while !sealed, steps < 10_000 {
        steps += 1
        step(machine.next(.init(last: last)))
      }
    }

    private mutating func step(_ step: PassMachine.Step) {
      switch step {
      case .copy(let range):
        #expect(range.lowerBound == machine.copied + 1 && range.upperBound <= last)
        grow()
        machine.copy(upTo: range.upperBound)
      case .copyHeads:
        grow()
        rows = last
        machine.copyHeads(last: last)
      case .mergeHeads:
        #expect(machine.copied >= rows, "rows speak of entries that are not there")
        machine.merge()
      case .check:
        isWhole = true
        grow()
        machine.check()
      case .compare(let range):
        #expect(isWhole)
        #expect(range.lowerBound == machine.compared + 1 && range.upperBound <= machine.copied)
        machine.compare(upTo: range.upperBound)
        grow()
      case .verify:
        #expect(machine.compared == machine.copied)
        wasVerified = true
        grow()
        machine.verify()
      case .follow(let range), .slow(let range):
        #expect(wasVerified)
        #expect(range.lowerBound == machine.copied + 1 && range.upperBound == last)
        let count = range.upperBound - range.lowerBound + 1
        if case .slow = step { slowed += 1 } else { grow() }
        machine.follow(upTo: range.upperBound, took: .microseconds(Int64(count) * 2))
      case .seal:
        #expect(wasVerified && isWhole && machine.compared == machine.copied && machine.copied >= rows)
        sealed = true
      }
    }

    private mutating func grow() {
      if growth > 0 { last += UInt64.random(in: 0...growth, using: &random) }
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `the switch comes after a whole, checked and compared file, regardless of appends meanwhile`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let last = UInt64.random(in: 0...100_000, using: &random)
    let copied = Bool.random(using: &random) ? 0 : UInt64.random(in: 0...last, using: &random)
    var simulation = Simulation(
      random: random, machine: PassMachine(copied: copied, goal: last), last: last,
      growth: [0, 1, 500, 20_000][Int(seed % 4)])
    simulation.run()
    #expect(simulation.sealed)
  }

  @Test func `a log that is empty is switched at once`() {
    var machine = PassMachine(copied: 0, goal: 0)
    let sight = PassMachine.Sight(last: 0)
    #expect(machine.next(sight) == .copyHeads)
    machine.copyHeads(last: 0)
    #expect(machine.next(sight) == .mergeHeads)
    machine.merge()
    #expect(machine.next(sight) == .check)
    machine.check()
    #expect(machine.next(sight) == .verify)
    machine.verify()
    #expect(machine.next(sight) == .seal)
  }

  // Promise P152.
  @Test func `rounds that do not become shorter slow the writers down`() {
    var machine = ready(at: 10)
    #expect(machine.next(.init(last: 20_000)) == .follow(11...20_000))
    machine.follow(upTo: 20_000, took: .milliseconds(40))
    machine.compare(upTo: 20_000)
    #expect(machine.next(.init(last: 40_000)) == .follow(20_001...40_000))
    machine.follow(upTo: 40_000, took: .milliseconds(40))
    machine.compare(upTo: 40_000)
    #expect(machine.next(.init(last: 60_000)) == .slow(40_001...60_000))
    // So few are left that the last round takes them.
    #expect(machine.next(.init(last: 41_000)) == .seal)
  }

  @Test func `entries left after a short round are copied while writers wait`() {
    var machine = ready(at: 10)
    machine.follow(upTo: 20, took: .milliseconds(3))
    machine.compare(upTo: 20)
    #expect(machine.next(.init(last: 25)) == .seal)
  }

  private func ready(at position: UInt64) -> PassMachine {
    var machine = PassMachine(copied: position, goal: position)
    machine.copyHeads(last: position)
    machine.merge()
    machine.check()
    machine.compare(upTo: position)
    machine.verify()
    return machine
  }
}
