import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsCoding

/// Random lives of views, and what must hold in every one.
struct ViewMachineWalkTests {
  /// One life: the events that its world can report, and the rules that it checks.
  private struct Life {
    var machine = ViewMachine(mayFold: true)
    var random: SeededGenerator
    var files: UInt64 = 0
    /// The files that wait for a pause to be over, with the last pause.
    var pauses: [UInt64: Duration] = [:]
    var problems: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 {
      UInt64.random(in: range, using: &random)
    }

    private mutating func error() -> AnnalsError {
      let codes: [AnnalsError.Code] = [.diskFull, .damaged, .ruleFailed, .busy, .newerSchema, .incomplete]
      return AnnalsError(codes[Int(number(0...5))], "an error")
    }

    private mutating func event() -> ViewEvent {
      let file = number(1...max(files, 1))
      let place = machine.folds[file]?.position ?? number(0...20)
      switch number(0...25) {
      case 0:
        files += 1
        var selection = ViewSelection(served: .init(file: files, isCurrent: number(0...1) == 0))
        if number(0...1) == 0 {
          selection.buildsNew = true
        } else if number(0...1) == 0 {
          files += 1
          selection.building = files
        }
        if number(0...9) == 0 { selection.refusal = AnnalsError(.superseded, "a newer plan") }
        return .chosen(selection)
      case 1: return .buildFailed(error())
      case 2: return .buildDue
      case 3, 4: return .began(file, at: place, converts: number(0...3) == 0)
      case 5: return .converted(file, to: place)
      case 6: return .reopened
      case 7: return .rebuild(reason: "asked for")
      case 8: return .checked(number(0...1) == 0 ? nil : error())
      case 9...12:
        var facts = ViewPageFacts(start: place - min(place, number(0...3)), end: place + number(0...9))
        facts.isLast = number(0...1) == 0
        facts.mayWait = number(0...2) == 0
        facts.isUrgent = number(0...3) == 0
        if number(0...9) == 0 { facts.failure = facts.end + 1 }
        return .page(file, facts)
      case 13: return .patienceOver(file)
      case 14...16:
        let end = place + number(0...9)
        return .stored(file, ViewBatchFacts(end: end, isLast: number(0...1) == 0))
      case 17: return .poisoned(file, at: place + 1 + number(0...9), error())
      case 18, 19: return .failed(file, error())
      case 20: return .due(file)
      case 21: return .overtaken(file, at: place + number(0...9))
      case 22: return number(0...1) == 0 ? .succeeded(file) : .logFailed(file, error())
      case 23: return .hardened(file, ViewSwitchFacts(position: place, end: nil, served: number(0...30)))
      case 24: return .compared(file, at: place, served: number(0...30))
      default: return number(0...1) == 0 ? .changed(file) : .switchFailed(file, error())
      }
    }

    /// Reports events, and those that follow from the effects.
    mutating func run(steps: Int) {
      for _ in 0..<steps { report(event()) }
      report(number(0...1) == 0 ? .removed : .closed)
      for _ in 0..<20 {
        let effects = machine.handle(event())
        if !effects.isEmpty { problems.append("a view that has ended asks for \(effects)") }
      }
    }

    private mutating func report(_ event: ViewEvent) {
      let before = machine
      let effects = machine.handle(event)
      check(event, effects, before)
      for effect in effects {
        switch effect {
        case .build(let reason) where number(0...3) > 0:
          files += 1
          report(.created(files, reason: reason))
        case .replace(let file): report(.replaced(file))
        default: break
        }
      }
    }

    private mutating func check(_ event: ViewEvent, _ effects: [ViewEffect], _ before: ViewMachine) {
      func expect(_ holds: Bool, _ rule: String) {
        if !holds { problems.append("\(rule), after \(event): \(effects)") }
      }
      for (file, fold) in machine.folds {
        let isOwn = machine.served == .init(file: file, isCurrent: true) || machine.building == file
        expect(isOwn, "file \(file) is folded, and is neither read nor built")
        expect(fold.activity != .stopped || fold.error != nil, "file \(file) has stopped without an error")
        expect(fold.activity != .retrying || fold.error != nil, "file \(file) waits without an error")
        expect(fold.position >= fold.stored, "file \(file) is stored beyond its position")
        expect(fold.activity == .folding || fold.waiting == nil, "file \(file) has a page, and is not folded")
      }
      expect(machine.damages <= ViewMachine.mostDamages, "files are built again without end")
      for effect in effects {
        switch effect {
        case .fold(let file, _), .store(let file), .wait(let file), .scan(let file, _):
          expect(machine.folds[file]?.isFolding == true, "file \(file) gets work, and is not folded")
        case .begin(let file):
          expect(machine.folds[file] == nil && machine.mayFold(file), "file \(file) must not be folded")
        case .replace(let file), .finish(let file), .compare(let file):
          expect(machine.building == file && machine.isHealthy(file), "file \(file) is not being built")
        case .retry(let file, let pause):
          expect(pause >= ViewMachine.firstPause, "file \(file) is retried without a pause")
          let known = before.folds[file]?.failures ?? 0
          let last = known > 0 ? pauses[file] ?? .zero : .zero
          expect(pause >= min(last, ViewMachine.longestPause), "the pauses of file \(file) shrink")
          pauses[file] = pause
        case .end(let file, _):
          expect(
            machine.folds[file].map { !$0.isFolding } ?? true || before.folds[file] != nil,
            "file \(file) ends, and is folded")
        default: break
        }
      }
      if case .replaced(let file) = event, before.building == file {
        expect(
          machine.served == .init(file: file, isCurrent: true), "another file is read than the built one")
      }
      if let served = before.served, machine.served == nil, machine.phase == .open {
        expect(
          { if case .chosen = event { true } else { false } }(), "file \(served.file) is not read any more")
      }
    }
  }

  @Test func `Views keep the rules in every situation`() {
    let seed = UInt64.random(in: 1...1_000_000)
    print("lives of views, seed \(seed)")
    for life in 0..<2_000 {
      var world = Life(seed: seed &+ UInt64(life))
      world.run(steps: 120)
      #expect(world.problems.isEmpty, "seed \(seed), life \(life): \(world.problems.prefix(3))")
      if !world.problems.isEmpty { return }
    }
  }
}
