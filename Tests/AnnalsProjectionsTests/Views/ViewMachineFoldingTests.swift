import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsCoding

/// How a view's machine folds: pages, batches and errors.
struct ViewMachineFoldingTests {
  private typealias Machine = ViewMachineTests
  private typealias Script = ViewMachineTests.Script

  @Test func `Pages that were read are skipped, and those after a gap are left to come again`() {
    var view = Script.following(at: 10)
    #expect(view(.page(1, Machine.page(12, 20))) == [])
    #expect(view(.page(1, Machine.page(0, 9))) == [])
    #expect(view(.page(1, Machine.page(4, 10, isLast: true))) == [])
    #expect(view(.page(1, Machine.page(4, 12))) == ["fold 1"])
    // An entry that cannot be upcast now was folded when it could be.
    var passed = Machine.page(0, 5)
    passed.failure = 6
    #expect(view(.page(1, passed)) == [])
    passed = Machine.page(8, 10)
    passed.failure = 11
    #expect(view(.page(1, passed)) == ["fold 1"])
    #expect(view(.stored(1, ViewBatchFacts(end: 10, failure: Machine.poison))) == ["end 1", "tend"])
    #expect(view.machine.lastingError?.code == .ruleFailed)
  }

  @Test func `Pages of no concern move the position at once, and are stored later`() {
    var view = Script.following(at: 10)
    var page = Machine.page(10, 14, isLast: true)
    page.mayWait = true
    #expect(view(.page(1, page)) == ["wait 1"])
    #expect(view.machine.folds[1]?.position == 14 && view.machine.folds[1]?.stored == 10)
    #expect(view(.patienceOver(1)) == ["store 1"])
    #expect(view(.stored(1, ViewBatchFacts(end: 14))) == [])
    #expect(view(.patienceOver(1)) == [])
    page = Machine.page(14, 15)
    (page.mayWait, page.isUrgent) = (true, true)
    #expect(view(.page(1, page)) == ["wait 1", "store 1"])
    #expect(view(.closed) == ["end 1, storing"])
  }

  @Test func `An entry that cannot be folded has those before it stored, and stops the view there`() {
    var view = Script.following(at: 10)
    #expect(view(.page(1, Machine.page(10, 30))) == ["fold 1"])
    #expect(view(.poisoned(1, at: 21, Machine.poison)) == ["scan 1 after 10"])
    #expect(view.machine.stopError == nil)
    #expect(view(.page(1, Machine.page(10, 15))) == ["fold 1 before 21"])
    #expect(view(.stored(1, ViewBatchFacts(end: 15))) == [])
    #expect(view(.page(1, Machine.page(15, 30))) == ["fold 1 before 21"])
    #expect(view(.stored(1, ViewBatchFacts(end: 20))) == ["end 1", "tend"])
    #expect(view.machine.stopError?.code == .ruleFailed && view.machine.unfolded.isEmpty)
    #expect(view(.page(1, Machine.page(20, 40))) == [])
    #expect(view(.due(1)) == [])
    // The program opens the view again.
    #expect(view(.reopened) == ["choose"])
    #expect(view.machine.folds.isEmpty)
    var next = Script.following(at: 10)
    #expect(next(.poisoned(1, at: 11, Machine.poison)) == ["end 1", "tend"])
  }

  @Test func `Another process that has folded the file is followed, also past a poison event`() {
    var view = Script.following(at: 10)
    _ = view(.poisoned(1, at: 21, Machine.poison))
    #expect(view(.overtaken(1, at: 25)) == ["scan 1 after 25"])
    #expect(view(.page(1, Machine.page(25, 30))) == ["fold 1"])
    #expect(view(.succeeded(1)) == ["end 1", "tend"])
    #expect(view.machine.unfolded == [1])
  }

  @Test func `An error that may pass is retried after pauses that grow to a second`() {
    var view = Script.following(at: 10)
    for pause in ["0.125", "0.25", "0.5", "1.0", "1.0"] {
      let words = view(.failed(1, Machine.full))
      #expect(words == ["pause 1", "retry 1 in \(pause) seconds", "tend"])
      #expect(view.machine.stopError?.code == .diskFull && view.machine.lastingError == nil)
      #expect(view(.page(1, Machine.page(10, 12))) == [])
      #expect(view(.due(1)) == ["scan 1 after 10"])
      #expect(view.machine.stopError == nil)
    }
    _ = view(.page(1, Machine.page(10, 12)))
    _ = view(.stored(1, ViewBatchFacts(end: 12)))
    #expect(view(.failed(1, Machine.full)) == ["pause 1", "retry 1 in 0.125 seconds", "tend"])
    // The program does not wait.
    #expect(view(.reopened) == ["scan 1 after 12"])
    #expect(view(.due(1)) == [])
  }

  @Test func `A damaged file is built again from the log`() {
    var view = Script.following(at: 10)
    let reason = "its file was damaged (a page is damaged)"
    #expect(view(.failed(1, Machine.damage)) == ["end 1", "build (\(reason))"])
    #expect(view.machine.unfolded.isEmpty && view.machine.needsBuild)
    #expect(view(.buildFailed(Machine.full)) == ["retry build in 1.0 seconds"])
    #expect(view.machine.stopError?.code == .diskFull)
    #expect(view(.buildDue) == ["build (\(reason))"])
    #expect(view(.created(2, reason: reason)) == ["begin 2"])
    #expect(view.machine.statusError == nil && view.machine.reason == reason)
    _ = view(.began(2, at: 0, converts: false))
    #expect(view(.buildDue) == [])
    _ = view(.stored(2, ViewBatchFacts(end: 10, isLast: true)))
    #expect(view(.hardened(2, ViewSwitchFacts(position: 10))) == ["end 1", "compare 2"])
    #expect(view(.compared(2, at: 10, served: nil)) == ["replace by 2"])
    #expect(view(.replaced(2)) == ["release below 2", "tend"])
    #expect(view.machine.damages == 0 && view.machine.folds.count == 1)
  }

  @Test func `A build that could not begin is tried again, after another choice of the files`() {
    var view = Script()
    let selection = ViewSelection(served: .init(file: 1, isCurrent: false), buildsNew: true)
    #expect(view(.chosen(selection)) == ["build", "tend"])
    #expect(view(.buildFailed(Machine.full)) == ["retry build in 1.0 seconds"])
    // The keeper has tried too. One timer is enough.
    #expect(view(.buildFailed(Machine.full)) == [])
    #expect(view.machine.statusError?.code == .diskFull)
    #expect(view(.buildDue) == ["choose"])
    #expect(view(.buildFailed(Machine.full)) == ["retry build in 1.0 seconds"])
    #expect(view(.buildDue) == ["choose"])
    #expect(view(.chosen(selection)) == ["build", "tend"])
    #expect(view(.created(2, reason: nil)) == ["begin 2"])
    #expect(view(.buildDue) == [])
    #expect(view.machine.statusError == nil)
  }

  @Test func `Rows that cannot be carried over for now are carried into another file`() {
    var view = Script()
    _ = view(.chosen(ViewSelection(served: .init(file: 1, isCurrent: false), buildsNew: true)))
    _ = view(.created(2, reason: nil))
    #expect(view(.began(2, at: 0, converts: true)) == ["convert 2"])
    #expect(view(.failed(2, Machine.full)) == ["end 2", "retry build in 1.0 seconds"])
    #expect(view.machine.building == nil && view.machine.unfolded.isEmpty)
    #expect(view.machine.statusError?.code == .diskFull && view.machine.lastingError == nil)
    #expect(view(.buildDue) == ["choose"])
    // Another error does not pass.
    _ = view(.chosen(ViewSelection(served: .init(file: 1, isCurrent: false), buildsNew: true)))
    _ = view(.created(3, reason: nil))
    _ = view(.began(3, at: 0, converts: true))
    #expect(view(.failed(3, Machine.poison)) == ["end 3", "tend"])
    #expect(view.machine.lastingError?.code == .ruleFailed)
  }

  @Test func `Two files that are found damaged at one moment are built again once`() {
    var first = Script.rebuilding()
    #expect(first(.failed(1, Machine.damage)) == ["end 1"])
    #expect(first(.failed(2, Machine.damage)).first == "end 2")
    #expect(first.machine.needsBuild)
    _ = first(.created(3, reason: first.machine.reason))
    _ = first(.began(3, at: 0, converts: false))
    #expect(first.machine.building == 3 && !first.machine.needsBuild)
    #expect(first.machine.reason?.contains("damaged") == true)
  }

  @Test func `A projection whose every file is damaged stops with the error`() {
    var view = Script.following(at: 10)
    var file: UInt64 = 1
    for _ in 0..<ViewMachine.mostDamages {
      #expect(view(.failed(file, Machine.damage)).last?.hasPrefix("build") == true)
      file += 1
      _ = view(.created(file, reason: nil))
      _ = view(.began(file, at: 0, converts: false))
    }
    #expect(view(.failed(file, Machine.damage)) == ["end \(file)", "tend"])
    #expect(view.machine.lastingError?.code == .damaged)
    #expect(view(.reopened) == ["build"])
  }
}
