import Annals
import FaultPrograms
import Foundation

/// A recorded workload, and the disks that a power cut at any of its moments could have left.
struct PowerCut {
  /// The findings of a run.
  struct Outcome {
    /// The number of examined images. Images differ in the pending changes that the disk has.
    var images = 0
    var possible = 0
    /// The number of moments in the recording, each between two system calls.
    var moments = 0
    /// The number of images in which something was resumed: an unfinished pass, or rows of a view.
    var resumed = 0
    /// The number of images in which a view had read entries the log does not hold.
    var ahead = 0
    var findings: [String] = []
  }

  /// The state that an earlier power cut left.
  struct Start {
    var image: [Inode: Disk.Node]
    var disk: Disk
    var knowledge: Examination.Knowledge
  }

  /// An examined image: the moment of the cut, and the place of its selection among those of the moment.
  private struct Address: Hashable {
    var moment: Int
    var selection: Int
  }

  private(set) var workload: Workload
  /// The promise for answered calls: all are there, or all but those of the last commit.
  private(set) var promise: StoreOptions.Durability
  private let start: Start?
  private(set) var recording: Recording

  /// Runs the workload in a process of its own and records it.
  ///
  /// - Parameters:
  ///   - start: The state it finds; `nil` for an empty directory.
  ///   - flags: Flags for LMDB's environments in addition to those of the library.
  init(_ workload: Workload, after start: Start? = nil, flags: String = "0") throws {
    self.workload = workload
    promise = workload.durability
    self.start = start
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let root = try scratch.directory("root")
    let journal = try scratch.file("journal")
    if let start { try start.disk.write(start.image, to: root) }
    let run = try SubjectProcess.run(
      [
        "work", root.path, journal.path, "\(workload.seed)", "\(workload.calls.lowerBound)",
        "\(workload.calls.count)", "\(workload.tasks)", workload.durability == .relaxed ? "1" : "0",
        "\(workload.passes.rawValue)", "\(workload.views.rawValue)", workload.isTagged ? "1" : "0",
        "\(workload.lives.rawValue)",
      ],
      under: [Shim.recorder, Shim.environment] + (workload.views == .none ? [] : [Shim.boot]),
      [
        "ANNALS_SHIM_ROOT": root.path, "ANNALS_SHIM_LOG": scratch.path("log"),
        "ANNALS_SHIM_JOURNAL": journal.path, "ANNALS_SHIM_FLAGS": flags,
      ].merging(Shim.environment(ofBoot: UUID().uuidString, in: scratch)) { $1 })
    guard run.end == .exit(0) else { throw Failed(run.errors) }
    recording = try Recording(Data(contentsOf: URL(fileURLWithPath: scratch.path("log"))))
    // A replay proves nothing if it does not lead to the real files.
    var disk = Disk(root: recording.root)
    for operation in recording.initial + recording.operations { disk.perform(operation) }
    let replayed = try scratch.directory("replayed")
    let all = [Disk.Taken](repeating: .whole, count: disk.pending.count)
    try disk.write(disk.image(taking: all, keepsLocks: true), to: replayed)
    guard try Disk.files(in: replayed) == Disk.files(in: root) else {
      throw Failed("the replay of all that was recorded is not what the process left")
    }
  }

  /// The workload could not be recorded.
  struct Failed: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }

  /// The same with a disk that skips some of the requested flushes.
  func recorded(_ change: (Recording) -> Recording) -> PowerCut {
    var copy = self
    copy.recording = change(recording)
    return copy
  }

  /// The same for examiners that know another workload.
  func examined(as workload: Workload) -> PowerCut {
    var copy = self
    copy.workload = workload
    return copy
  }

  /// The same with another promise to check.
  func promising(_ promise: StoreOptions.Durability) -> PowerCut {
    var copy = self
    copy.promise = promise
    return copy
  }

  /// Cuts the power at every moment and examines the possible disks.
  ///
  /// - Parameters:
  ///   - images: The number of images to examine, chosen at random if there are more.
  ///   - findings: The number of findings after which to stop.
  ///   - moments: The operations before which the power is cut.
  ///   - resumption: How each examiner treats passes; `nil` for the choice that fits the workload.
  func run(
    images limit: Int = .max, findings most: Int = 5, during moments: Range<Int> = 0..<Int.max,
    resumption: Examination.Resumption? = nil
  ) throws -> Outcome {
    var outcome = Outcome()
    var addresses: [Address] = []
    walk { moment, disk, _ in
      guard moments.contains(moment) else { return true }
      outcome.moments += 1
      for selection in selections(disk, moment).indices {
        addresses.append(Address(moment: moment, selection: selection))
      }
      return true
    }
    outcome.possible = addresses.count
    var random = SeededGenerator(seed: workload.seed)
    let chosen = Set(
      addresses.count > limit ? Array(addresses.shuffled(using: &random).prefix(limit)) : addresses)
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let inspector = try Inspector(
      workload, resumption: resumption ?? (workload.passes == .none ? .none : .elsewhere),
      boot: workload.views == .none ? nil : UUID().uuidString)
    try walk { moment, disk, knowledge in
      for (number, selection) in selections(disk, moment).enumerated()
      where chosen.contains(Address(moment: moment, selection: number)) {
        let directory = try scratch.directory("\(moment)-\(number)")
        try disk.write(disk.image(taking: selection.taken, keepsLocks: selection.keepsLocks), to: directory)
        outcome.images += 1
        if let finding = try inspector.finding(in: directory, asked(knowledge, selection: number)) {
          outcome.findings.append("cut before operation \(moment), selection \(number): \(finding)")
          try keep(disk, selection, named: "\(workload.seed)-\(workload.tasks)-\(moment)-\(number)")
          if outcome.findings.count == most { return false }
        }
        try FileManager.default.removeItem(at: directory)
      }
      return true
    }
    outcome.resumed = inspector.resumed
    outcome.ahead = inspector.ahead
    return outcome
  }

  /// The state that a power cut leaves at a random moment with a random selection, for a program that
  /// continues from there.
  func left(using random: inout some RandomNumberGenerator) -> Start? {
    var moments: [Int] = []
    walk { moment, _, _ in
      moments.append(moment)
      return true
    }
    guard let chosen = moments.randomElement(using: &random) else { return nil }
    var start: Start?
    walk { moment, disk, knowledge in
      guard moment == chosen else { return true }
      guard let selection = selections(disk, moment).randomElement(using: &random) else { return false }
      var known = knowledge
      // The calls that were never made are a gap from now on.
      known.isHistory = false
      start = Start(
        image: disk.image(taking: selection.taken, keepsLocks: selection.keepsLocks), disk: disk,
        knowledge: known)
      return false
    }
    return start
  }

  /// The knowledge for an examiner. Half of them open the view in the program's version, half in the last
  /// one.
  private func asked(_ knowledge: Examination.Knowledge, selection: Int) -> Examination.Knowledge {
    var knowledge = knowledge
    if workload.views != .none, selection % 2 == 1 { knowledge.version = 3 }
    return knowledge
  }

  /// Writes an image with a finding into the directory that `ANNALS_KEEP` names, as it was before its
  /// examination.
  private func keep(_ disk: Disk, _ selection: Disk.Selection, named name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["ANNALS_KEEP"] else { return }
    let directory = URL(filePath: folder).appendingPathComponent(name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try disk.write(disk.image(taking: selection.taken, keepsLocks: selection.keepsLocks), to: directory)
  }

  private func selections(_ disk: Disk, _ moment: Int) -> [Disk.Selection] {
    // Each moment has its own generator, so that an image can be made again without the earlier ones.
    var random = SeededGenerator(seed: workload.seed << 32 | UInt64(moment))
    return disk.selections(using: &random)
  }

  /// The answered calls that must be there, in the order of their answers.
  private func kept(of answered: [Int]) -> [Int] {
    switch promise {
    case .full: answered
    // One task makes a commit of each call.
    case .relaxed: answered.dropLast()
    }
  }

  /// Passes `body` each moment at which a power cut makes a difference, with the calls known by then, until
  /// it returns false.
  private func walk(_ body: (Int, Disk, Examination.Knowledge) throws -> Bool) rethrows {
    var disk = Disk(root: recording.root)
    for operation in recording.initial { disk.perform(operation) }
    var begun: [Int] = []
    var answered: [Int] = []
    var version: Int?
    func knowledge() -> Examination.Knowledge {
      var knowledge =
        start?.knowledge ?? .init(must: CallSet([]), may: CallSet([]), isHistory: workload.tasks == 1)
      knowledge.must.numbers.formUnion(kept(of: answered))
      knowledge.may.numbers.formUnion(begun)
      if let version { knowledge.version = version }
      return knowledge
    }
    for (moment, operation) in recording.operations.enumerated() {
      if disk.isChanged(by: operation), try !body(moment, disk, knowledge()) { return }
      disk.perform(operation)
      switch operation {
      case .note(.begin(let call)): begun.append(call)
      case .note(.done(let call)): answered.append(call)
      case .note(.folding(let number)): version = number
      default: break
      }
    }
    _ = try body(recording.operations.count, disk, knowledge())
  }
}
