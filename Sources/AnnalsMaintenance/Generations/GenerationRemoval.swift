package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
internal import AnnalsMigration
package import LMDB

/// The generations of a store that are to be removed, and their files.
package struct GenerationRemoval {
  let directory: Directory
  let opening: StoreOpening
  private(set) var numbers: [UInt64] = []
  private(set) var bytes = 0
  private(set) var kept: [DiscardReport.Kept] = []

  package init(directory: Directory, opening: StoreOpening) {
    self.directory = directory
    self.opening = opening
  }

  /// Finds the generations of the log but the one in use and the one that an unfinished pass is building.
  package mutating func collect(except inUse: Generation) throws(AnnalsError) {
    let pass = try inUse.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try StoreReader(transaction.view, inUse.tables).pass()
    }
    let names = try files { () throws(StoreFileError) in try directory.names() }
    let others = Set(names.compactMap { GenerationFiles.number(ofFile: $0) }).subtracting([inUse.number])
      .sorted()
    for number in others {
      let file = CurrentFile.fileName(generation: number)
      if number == pass?.other {
        kept.append(.init(file: file, reason: "an unfinished migration pass is building it"))
      } else if !names.contains(file) {
        // What a removal that was interrupted has left.
        numbers.append(number)
      } else if let reason = try reasonToKeep(number, of: inUse) {
        kept.append(.init(file: file, reason: reason))
      } else {
        numbers.append(number)
      }
    }
  }

  /// Why a generation is left alone; `nil` if it is one of this log that can be opened.
  private func reasonToKeep(_ number: UInt64, of inUse: Generation) throws(AnnalsError) -> String? {
    do throws(AnnalsError) {
      guard try opening.open(number, of: inUse.current.log) != nil else { return "it was removed meanwhile" }
      return nil
    } catch {
      switch error.code {
      case .foreign, .damaged, .notAStore, .formatVersion, .needsNewer: return error.message
      default: throw error
      }
    }
  }

  /// The milliseconds to wait for readers that may be about to release a generation.
  private static let patience = 250
  /// For how many it is as long as threads of this process are.
  private static let longest = 10_000

  /// Waits until nobody has one of the generations, or until that cannot be expected any longer.
  ///
  /// - Parameter isLettingGo: Whether threads of this process are about to let go of one.
  package func waitForLeases(_ isLettingGo: () -> Bool) throws(AnnalsError) {
    for number in numbers {
      let lock = try files { () throws(StoreFileError) in
        try opening.lockFile(GenerationFiles.stem(number) + ".lease")
      }
      var waited = 0
      var limit = Self.patience
      var isLast = false
      while try !Self.isFree(lock) {
        if waited >= limit {
          guard !isLast, waited < Self.longest else { return }
          // A generation that nobody has any longer may still be closing, so its end is waited for once more.
          isLast = !isLettingGo()
          limit += Self.patience
        }
        WriterThread.pause(milliseconds: 1)
        waited += 1
      }
    }
  }

  private static func isFree(_ lock: FileLock) throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in
      guard let hold = try lock.tryLock(.exclusive) else { return false }
      _ = consume hold
      return true
    }
  }

  /// Takes the leases of all generations alone.
  ///
  /// - Throws: `busy` if somebody has one of them open.
  func takeLeases() throws(AnnalsError) -> [GenerationRemovalLease] {
    var leases: [GenerationRemovalLease] = []
    for number in numbers {
      let lock = try files { () throws(StoreFileError) in
        try opening.lockFile(GenerationFiles.stem(number) + ".lease")
      }
      guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else {
        throw AnnalsError(
          .busy,
          "generation \(number) is still open in some process, which reads from it or has not noticed the switch yet; end what it reads, or let it read or append once, then try again; nothing was removed",
          details: AnnalsError.Details { $0.file = CurrentFile.fileName(generation: number) })
      }
      leases.append(GenerationRemovalLease(hold))
    }
    return leases
  }

  /// Removes the files, whose leases are held, and waits until the disk has it.
  package mutating func run() throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      for number in numbers {
        for ending in GenerationFiles.endings {
          let name = GenerationFiles.stem(number) + ending
          guard let status = try directory.status(of: name) else { continue }
          try directory.remove(name)
          bytes += status.size
        }
      }
      try directory.synchronize()
    }
  }
}

/// The lease of a generation that is being removed.
final class GenerationRemovalLease: Sendable {
  private let hold: FileLock.Hold

  init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }
}
