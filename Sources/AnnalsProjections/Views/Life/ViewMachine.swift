internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// The life of one view in this process, as a state machine: which files are folded here, what becomes of
/// each page and error, and when one file replaces another.
///
/// It only answers. ``handle(_:)`` takes an event and returns the effects, which others perform. It knows
/// no file, thread, lock or clock. docs/view-life.md has the table of its states and events.
struct ViewMachine: Sendable {
  /// The view as a whole.
  enum Phase: Sendable {
    case open
    /// Its files were removed. It never has files again.
    case removed
    /// The last store and view were released.
    case closed
  }

  /// The file that reads use.
  struct Served: Equatable, Sendable {
    var file: UInt64
    /// Whether it has the program's version. A file of an earlier version is read, and not folded.
    var isCurrent: Bool
  }

  /// An entry that cannot be folded.
  struct Poison: Sendable {
    var position: UInt64
    var error: AnnalsError
  }

  /// The folding of one file by this process.
  struct Fold: Sendable {
    /// The state of a fold.
    enum Activity: Sendable {
      /// Rows of an earlier version are being converted.
      case converting
      /// It takes the pages of the log.
      case folding
      /// It tries again later, because the cause of an error may pass.
      case retrying
      /// Its file is damaged, and another one is built.
      case damaged
      /// It has stopped, until the program opens the view again or rebuilds it.
      case stopped
    }

    var activity: Activity
    /// The position up to which the file has read.
    var stored: UInt64
    /// The end of the last page that waits to be stored; `nil` if there is none.
    var waiting: UInt64?
    /// The entry before which it will stop; `nil` if there is none.
    var poison: Poison?
    /// The error that stopped it; `nil` while it runs.
    var error: AnnalsError?
    /// The failures in a row.
    var failures = 0

    /// The position up to which every entry is folded or does not concern the view.
    var position: UInt64 { waiting ?? stored }
    /// Whether it takes pages.
    var isFolding: Bool { activity == .folding }
    /// Whether it has an error that does not pass by itself.
    var isOver: Bool { activity == .stopped || activity == .damaged }
  }

  /// The pause after the first failure. It doubles with each failure in a row.
  static var firstPause: Duration { .milliseconds(125) }
  /// The longest pause.
  static var longestPause: Duration { .seconds(1) }
  /// The number of files in a row that may be found damaged before the view stops.
  static var mostDamages: Int { 5 }
  /// The greatest lead of the file that reads use when it is stopped for the new one. The next pages cover
  /// that many positions almost at once.
  static var leap: UInt64 { 5_000 }

  /// Whether this process may fold. A store that is open for reading may not.
  let mayFold: Bool
  var phase = Phase.open
  var served: Served?
  /// The file being built, by this process or another; `nil` if there is none.
  var building: UInt64?
  /// The file that must not advance, because the built one is about to replace it; `nil` if there is none.
  var leaving: UInt64?
  /// The folds of this process, by file.
  var folds: [UInt64: Fold] = [:]
  /// The reason for the current or last rebuild; `nil` if there is none, or for a first build.
  var reason: String?
  /// The error that prevents any fold here; `nil` if there is none.
  var refusal: AnnalsError?
  /// The error of the last check of the files; `nil` once a check has succeeded.
  var checkFailure: AnnalsError?
  /// Whether the files belong to a newer plan. They are neither folded nor rebuilt here.
  var isHeldBack = false
  /// The damaged files since the last switch.
  var damages = 0
  /// Whether a build could not begin, so that the files are chosen again.
  var lacksBuild = false
  /// Whether ``ViewEvent/buildDue`` is still to come.
  private var awaitsBuild = false

  init(mayFold: Bool) {
    self.mayFold = mayFold
  }

  /// Takes an event, and returns the effects in the order in which to perform them.
  ///
  /// After the end of the view, and for folds that have ended, events change nothing.
  mutating func handle(_ event: ViewEvent) -> [ViewEffect] {
    guard phase == .open else { return [] }
    switch event {
    case .chosen(let selection): return choose(selection)
    case .created(let file, let reason): return created(file, reason)
    case .buildFailed(let error): return buildFailed(error)
    case .buildDue:
      awaitsBuild = false
      if needsBuild { return [.build(reason: reason)] }
      return lacksBuild ? [.choose] : []
    case .began(let file, let position, let converts): return began(file, position, converts)
    case .reopened: return reopen()
    case .rebuild(let reason): return rebuild(reason)
    case .checked(let error):
      checkFailure = error
      return []
    case .hardened(let file, let facts): return hardened(file, facts)
    case .compared(let file, let position, let served):
      guard building == file, isHealthy(file), position >= served ?? 0 else { return [] }
      return [.replace(file)]
    case .changed(let file): return building == file && isHealthy(file) ? [.finish(file)] : []
    case .replaced(let file): return replaced(file)
    case .switchFailed(let file, let error):
      return error.recovery == [.retry] ? retry(file, error) : stop(file, error)
    case .removed: return end(.removed, stores: false)
    case .closed: return end(.closed, stores: true)
    default: return handleFolding(event)
    }
  }

  /// Tries to build again later.
  mutating func buildFailed(_ error: AnnalsError) -> [ViewEffect] {
    refusal = error
    lacksBuild = true
    if awaitsBuild { return [.announce] }
    awaitsBuild = true
    return [.announce, .retryBuild(after: Self.longestPause)]
  }

  /// Whether a file is folded here without an error.
  func isHealthy(_ file: UInt64) -> Bool { folds[file].map { $0.error == nil && !$0.isOver } ?? false }

  /// Whether a file is damaged and no other one is being built here.
  var needsBuild: Bool {
    guard folds.values.contains(where: { $0.activity == .damaged }) else { return false }
    return building.map { !isHealthy($0) } ?? true
  }

  /// Whether a file belongs to the view and this process may fold it.
  func mayFold(_ file: UInt64) -> Bool {
    mayFold && !isHeldBack && (building == file || served == Served(file: file, isCurrent: true))
  }

  /// Ends the whole view.
  private mutating func end(_ phase: Phase, stores: Bool) -> [ViewEffect] {
    let ended = folds.sorted { $0.key < $1.key }.map { file, fold in
      ViewEffect.end(file, stores: stores && fold.waiting != nil)
    }
    self = ViewMachine(mayFold: mayFold)
    self.phase = phase
    return ended + [.announce]
  }
}

// What readers and observers ask.
extension ViewMachine {
  /// The error to report for a file that has no fold here.
  var hindrance: AnnalsError? { refusal ?? checkFailure }

  /// The file whose fold decides whether the view advances: the one that reads use, or the one that is built
  /// to replace an earlier version.
  var advancing: UInt64? {
    if let served, served.isCurrent { return served.file }
    return building
  }

  /// The error that stops the view; `nil` if it advances.
  var stopError: AnnalsError? {
    guard let fold = advancing.flatMap({ folds[$0] }) else { return hindrance }
    // Another file is built for a damaged one.
    if fold.activity == .damaged { return building.flatMap { folds[$0]?.error } ?? refusal }
    return fold.error ?? hindrance
  }

  /// The error that stops the view, or the build that is to replace its rows.
  var statusError: AnnalsError? { building.flatMap { folds[$0]?.error } ?? stopError }

  /// The error that stops the view until the program opens it again; `nil` if there is none.
  var lastingError: AnnalsError? {
    guard var fold = advancing.flatMap({ folds[$0] }) else { return nil }
    if fold.activity == .damaged { fold = building.flatMap { folds[$0] } ?? fold }
    return fold.activity == .stopped ? fold.error : nil
  }

  /// The error that stops the rows of one file; `nil` if they advance, or another process folds them.
  func stopError(of file: UInt64) -> AnnalsError? {
    if let fold = folds[file] { return fold.error }
    return served?.isCurrent == true ? hindrance : nil
  }

  /// The files that are folded by no one here although they could be.
  var unfolded: [UInt64] {
    let files = [served.flatMap { $0.isCurrent ? $0.file : nil }, building].compactMap { $0 }
    return files.filter { folds[$0] == nil && !isLeaving($0) }
  }

  /// Whether every file that could be folded is folded here.
  var isSettled: Bool {
    let files = [served.flatMap { $0.isCurrent ? $0.file : nil }, building].compactMap { $0 }
    return files.allSatisfy { folds[$0] != nil }
  }

  /// Whether a file must not advance, because a healthy one is about to replace it.
  private func isLeaving(_ file: UInt64) -> Bool {
    leaving == file && (building.map { isHealthy($0) } ?? false)
  }
}
