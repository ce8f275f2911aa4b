import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsCoding

/// The life of a view without any file, thread or store.
struct ViewMachineTests {
  static let poison = AnnalsError(.ruleFailed, "the event is poison")
  static let full = AnnalsError(.diskFull, "the disk is full")
  static let damage = AnnalsError(.damaged, "a page is damaged")

  /// A machine whose answers are written as words.
  struct Script {
    var machine = ViewMachine(mayFold: true)

    /// Reports an event.
    ///
    /// - Returns: The effects, without the announcements.
    mutating func callAsFunction(_ event: ViewEvent) -> [String] {
      machine.handle(event).compactMap { Self.word($0) }
    }

    static func word(_ effect: ViewEffect) -> String? {
      switch effect {
      case .choose: "choose"
      case .build(let reason): reason.map { "build (\($0))" } ?? "build"
      case .begin(let file): "begin \(file)"
      case .convert(let file): "convert \(file)"
      case .scan(let file, let position): "scan \(file) after \(position)"
      case .pause(let file): "pause \(file)"
      case .retry(let file, let pause): "retry \(file) in \(pause)"
      case .retryBuild(let pause): "retry build in \(pause)"
      case .fold(let file, let position): "fold \(file)" + (position.map { " before \($0)" } ?? "")
      case .wait(let file): "wait \(file)"
      case .store(let file): "store \(file)"
      case .finish(let file): "finish \(file)"
      case .compare(let file): "compare \(file)"
      case .replace(let file): "replace by \(file)"
      case .end(let file, let stores): "end \(file)" + (stores ? ", storing" : "")
      case .release(let file): "release below \(file)"
      case .announce: nil
      case .tend: "tend"
      }
    }

    /// A view that follows the log with file 1, which has read to a position.
    static func following(at position: UInt64 = 10) -> Script {
      var script = Script()
      _ = script(.chosen(ViewSelection(served: .init(file: 1, isCurrent: true))))
      _ = script(.began(1, at: position, converts: false))
      return script
    }

    /// The same, with file 2 being built, which has read to another position.
    static func rebuilding(at position: UInt64 = 10, built: UInt64 = 0) -> Script {
      var script = following(at: position)
      _ = script(.rebuild(reason: "asked for"))
      _ = script(.created(2, reason: "asked for"))
      _ = script(.began(2, at: built, converts: false))
      return script
    }
  }

  static func page(_ start: UInt64, _ end: UInt64, isLast: Bool = false) -> ViewPageFacts {
    ViewPageFacts(start: start, end: end, isLast: isLast)
  }

  @Test func `A first build is created, folded, made durable and read`() {
    var view = Script()
    #expect(view(.chosen(ViewSelection(buildsNew: true))) == ["build", "tend"])
    #expect(view(.created(1, reason: nil)) == ["begin 1"])
    #expect(view(.began(1, at: 0, converts: false)) == ["scan 1 after 0"])
    #expect(view(.page(1, Self.page(0, 8))) == ["fold 1"])
    #expect(view(.stored(1, ViewBatchFacts(end: 8))) == [])
    #expect(view(.page(1, Self.page(8, 9, isLast: true))) == ["fold 1"])
    #expect(view(.stored(1, ViewBatchFacts(end: 9, isLast: true))) == ["finish 1"])
    #expect(view.machine.served == nil && view.machine.statusError == nil)
    // The log has grown during the flush.
    #expect(view(.hardened(1, ViewSwitchFacts(position: 9, end: 11))) == [])
    #expect(view(.page(1, Self.page(9, 11, isLast: true))) == ["fold 1"])
    #expect(view(.stored(1, ViewBatchFacts(end: 11, isLast: true))) == ["finish 1"])
    #expect(view(.hardened(1, ViewSwitchFacts(position: 11))) == ["compare 1"])
    #expect(view(.compared(1, at: 11, served: nil)) == ["replace by 1"])
    #expect(view(.replaced(1)) == ["release below 1", "tend"])
    #expect(view.machine.served == .init(file: 1, isCurrent: true) && view.machine.building == nil)
    #expect(view.machine.isSettled)
  }

  @Test func `A build that had begun, and the file that reads use, are folded on`() {
    var view = Script()
    let selection = ViewSelection(served: .init(file: 4, isCurrent: true), building: 5, reason: "an input")
    #expect(view(.chosen(selection)) == ["begin 4", "begin 5", "tend"])
    #expect(view.machine.reason == "an input")
    #expect(view(.began(5, at: 7, converts: false)) == ["scan 5 after 7"])
    // Another process folds file 4.
    #expect(view.machine.unfolded == [4] && !view.machine.isSettled)
    // A right to fold that comes too late is given back.
    #expect(view(.began(3, at: 7, converts: false)) == ["end 3"])
    #expect(view(.began(5, at: 7, converts: false)) == ["end 5"])
  }

  @Test func `Rows of an earlier version are read, not folded, and converted into the new file`() {
    var view = Script()
    let selection = ViewSelection(served: .init(file: 1, isCurrent: false), buildsNew: true)
    #expect(view(.chosen(selection)) == ["build", "tend"])
    #expect(view(.began(1, at: 10, converts: false)) == ["end 1"])
    #expect(view.machine.unfolded.isEmpty)
    _ = view(.created(2, reason: nil))
    #expect(view(.began(2, at: 0, converts: true)) == ["convert 2"])
    #expect(view(.page(2, Self.page(0, 3))) == [])
    #expect(view(.converted(2, to: 10)) == ["scan 2 after 10"])
    #expect(view(.page(2, Self.page(10, 12, isLast: true))) == ["fold 2"])
    #expect(view(.stored(2, ViewBatchFacts(end: 12, isLast: true))) == ["finish 2"])
    // An older program may be ahead with its file, which must be reached first.
    #expect(view(.hardened(2, ViewSwitchFacts(position: 12, served: 13))) == ["compare 2"])
    #expect(view(.compared(2, at: 12, served: 13)) == [])
    #expect(view(.compared(2, at: 13, served: 13)) == ["replace by 2"])
    #expect(view(.replaced(2)) == ["release below 2", "tend"])
  }

  @Test func `A store that is open for reading folds and builds nothing`() {
    var view = Script(machine: ViewMachine(mayFold: false))
    #expect(
      view(.chosen(ViewSelection(served: .init(file: 1, isCurrent: true), buildsNew: true))) == ["tend"])
    #expect(view(.began(1, at: 3, converts: false)) == ["end 1"])
  }

  @Test func `A view of a newer plan is read, and neither folded nor rebuilt until the program asks`() {
    var view = Script()
    var selection = ViewSelection(served: .init(file: 1, isCurrent: true))
    selection.refusal = AnnalsError(.superseded, "a newer plan")
    #expect(view(.chosen(selection)) == ["tend"])
    #expect(view.machine.stopError?.code == .superseded && !view.machine.mayFold(1))
    #expect(view(.rebuild(reason: "asked for")) == ["build (asked for)"])
    #expect(view(.created(2, reason: "asked for")) == ["begin 2"])
    #expect(view.machine.stopError == nil)
  }

  @Test func `A rebuild takes over with all that the older file has reported`() {
    var view = Script.rebuilding(at: 10)
    #expect(view(.rebuild(reason: "again")) == [])
    _ = view(.stored(2, ViewBatchFacts(end: 9, isLast: true)))
    // The older one is far ahead, and continues.
    #expect(view(.hardened(2, ViewSwitchFacts(position: 9, served: 9_000))) == [])
    #expect(view(.hardened(2, ViewSwitchFacts(position: 9, served: 10))) == ["end 1", "compare 2"])
    #expect(view(.compared(2, at: 9, served: 10)) == [])
    // The older one must not be folded meanwhile.
    #expect(view.machine.unfolded.isEmpty && !view.machine.isSettled)
    _ = view(.stored(2, ViewBatchFacts(end: 10, isLast: true)))
    #expect(view(.hardened(2, ViewSwitchFacts(position: 10, served: 10))) == ["compare 2"])
    #expect(view(.changed(2)) == ["finish 2"])
    #expect(view(.compared(2, at: 10, served: 10)) == ["replace by 2"])
    #expect(view(.replaced(2)) == ["release below 2", "tend"])
    #expect(view(.page(1, Self.page(10, 12))) == [])
  }

  @Test func `A rebuild that stops leaves the older file to be followed, and its error is the view's`() {
    var view = Script.rebuilding(at: 10)
    _ = view(.hardened(2, ViewSwitchFacts(position: 9, served: 10)))
    #expect(view(.switchFailed(2, Self.full)) == ["pause 2", "retry 2 in 0.125 seconds", "tend"])
    #expect(view.machine.unfolded == [1])
    _ = view(.due(2))
    #expect(view.machine.unfolded.isEmpty)
    #expect(view(.switchFailed(2, Self.poison)) == ["end 2", "tend"])
    #expect(view.machine.unfolded == [1])
    #expect(view.machine.statusError?.code == .ruleFailed && view.machine.stopError == nil)
    #expect(view(.began(1, at: 10, converts: false)) == ["scan 1 after 10"])
    #expect(view(.rebuild(reason: "again")) == ["build (again)"])
    #expect(view(.created(3, reason: "again")) == ["begin 3"])
  }

  @Test func `A log that cannot be read stops the view with the error`() {
    var view = Script.following(at: 10)
    #expect(view(.logFailed(1, AnnalsError(.storeReplaced, "another log"))) == ["end 1", "tend"])
    #expect(view.machine.lastingError?.code == .storeReplaced)
  }

  @Test func `Other files of another choice replace those that were folded`() {
    var view = Script.rebuilding(at: 10)
    let words = view(.chosen(ViewSelection(served: .init(file: 3, isCurrent: true))))
    #expect(words == ["end 1", "end 2", "begin 3", "tend"])
    #expect(view.machine.building == nil)
  }

  @Test func `A file that a read has found damaged is left, and another one is built`() {
    var view = Script.following()
    let selection = ViewSelection(buildsNew: true, reason: "its file was damaged")
    #expect(view(.chosen(selection)) == ["end 1", "build (its file was damaged)", "tend"])
    #expect(view.machine.served == nil && view.machine.reason == "its file was damaged")
    #expect(view(.created(2, reason: selection.reason)) == ["begin 2"])
    var busy = Script.rebuilding()
    let again = busy(.chosen(ViewSelection(building: 2, reason: "its file was damaged")))
    #expect(again == ["end 1", "tend"])
  }

  @Test func `A check that fails is reported until one succeeds`() {
    var view = Script()
    _ = view(.chosen(ViewSelection(served: .init(file: 1, isCurrent: true))))
    _ = view(.checked(Self.full))
    #expect(view.machine.stopError?.code == .diskFull && view.machine.stopError(of: 1)?.code == .diskFull)
    _ = view(.checked(nil))
    #expect(view.machine.stopError == nil)
  }

  @Test(arguments: [ViewEvent.removed, .closed])
  func `A view that was removed or closed does nothing more`(end: ViewEvent) {
    var view = Script.rebuilding()
    #expect(view(end) == ["end 1", "end 2"])
    let events: [ViewEvent] = [
      .chosen(ViewSelection(buildsNew: true)), .created(7, reason: nil), .buildFailed(Self.full), .buildDue,
      .began(1, at: 0, converts: false), .converted(1, to: 3), .reopened, .rebuild(reason: "x"),
      .checked(Self.full), .page(1, Self.page(0, 20)), .patienceOver(1), .stored(1, ViewBatchFacts(end: 9)),
      .poisoned(1, at: 3, Self.poison), .failed(2, Self.damage), .due(2), .overtaken(1, at: 3), .succeeded(1),
      .logFailed(1, Self.full), .hardened(2, ViewSwitchFacts(position: 3)), .compared(2, at: 3, served: nil),
      .changed(2), .replaced(2), .switchFailed(2, Self.full), .removed, .closed,
    ]
    for event in events { #expect(view(event) == []) }
    #expect(view.machine.folds.isEmpty && view.machine.served == nil && view.machine.stopError == nil)
  }
}
