public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
package import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Moves a store aside, so that the next open at its path creates a new one.
  ///
  /// Nothing is deleted, and only lock files change: the store keeps its files under the new name, in the
  /// same directory, and opens there with a program that can read it. The name is that of the store with
  /// `.aside-1` at the end, or the next number that is free, so the call may be made again for another store
  /// at the same path. The new name is durable on return.
  ///
  /// - Parameter url: The store's directory. It need not be readable by any plan, and may be damaged.
  /// - Returns: The new URL of the store; `nil` if there was nothing at `url`, as after an earlier call.
  /// - Throws: ``AnnalsError`` with code `busy` if any program has the store open, including this one;
  ///   `notAStore` if `url` names something else; `permission` or `inputOutput` if the system refuses. In
  ///   that case nothing is moved.
  /// - Complexity: O(files in the store's directory), regardless of the length of the log.
  public static func resetMovingAside(_ url: URL) throws(AnnalsError) -> URL? {
    guard let path = try StorePlace(url).moveAside() else { return nil }
    return try URL(exactPath: path)
  }
}

extension StorePlace {
  /// Moves the store aside.
  ///
  /// - Returns: Its new path; `nil` if nothing has the name.
  fileprivate func moveAside() throws(AnnalsError) -> [UInt8]? {
    guard let directory = try existing(),
      let newName = try MovingAside(parent: above(), name: fileName, directory: directory).run()
    else { return nil }
    return Array(path.dropLast(fileName.count)) + newName
  }
}

/// Renames a store while nobody has it open.
package struct MovingAside {
  package let parent: Directory
  /// The store's present name.
  package let name: [UInt8]
  package let directory: Directory

  /// The longest name that file systems allow, in bytes.
  private static let longest = 255

  /// Moves the store.
  ///
  /// - Returns: Its new name; `nil` if another process was faster.
  package func run() throws(AnnalsError) -> [UInt8]? {
    let names = try files { () throws(StoreFileError) in try directory.names() }
    guard names.contains(CurrentFile.name) || names.contains(where: Self.isLog) else {
      throw AnnalsError(
        .notAStore,
        "'\(FileName.text(name))' is no store: it has neither CURRENT nor a log; nothing was moved")
    }
    let open = try files { () throws(StoreFileError) in try FileLock("open.lock", in: directory) }
    // No program begins or ends an open while the name changes.
    let hold = try files { () throws(StoreFileError) in try open.lock(.exclusive) }
    let leases = try takeLeases(names)
    guard try isStillThere() else { return nil }
    let newName = try rename()
    try files { () throws(StoreFileError) in try parent.synchronize() }
    _ = consume leases
    _ = consume hold
    return newName
  }

  private static func isLog(_ name: String) -> Bool { name.hasPrefix("log-") && name.hasSuffix(".mdb") }

  private static func isLease(_ name: String) -> Bool {
    (name.hasPrefix("log-") && name.hasSuffix(".lease")) || ProgramLeaseFile.isName(name)
  }

  /// Takes every lease that a program with the store open would hold.
  private func takeLeases(_ names: [String]) throws(AnnalsError) -> [MovingAsideLease] {
    var leases: [MovingAsideLease] = []
    for name in names where Self.isLease(name) {
      switch try files({ () throws(StoreFileError) in try take(name) }) {
      case .taken(let lease): leases.append(lease)
      case .gone: continue
      case .appendsSuspended:
        throw AnnalsError(
          .busy,
          "a program has the store '\(FileName.text(self.name))' open and holds '\(name)'; close it there, then try again; nothing was moved",
          details: AnnalsError.Details { $0.file = name })
      }
    }
    return leases
  }

  private enum Attempt {
    case taken(MovingAsideLease)
    case appendsSuspended
    /// Its program has ended since the directory was listed.
    case gone
  }

  private func take(_ lease: String) throws(StoreFileError) -> Attempt {
    do throws(StoreFileError) {
      guard let hold = try FileLock(lease, in: directory, create: false).tryLock(.exclusive) else {
        return .appendsSuspended
      }
      return .taken(MovingAsideLease(hold))
    } catch .missing {
      return .gone
    }
  }

  private func isStillThere() throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in
      try parent.status(of: name)?.identity == directory.status().identity
    }
  }

  private func rename() throws(AnnalsError) -> [UInt8] {
    var number = 1
    while true {
      let newName = Self.name(name, number)
      do throws(StoreFileError) {
        try parent.rename(name, to: newName, in: parent)
        return newName
      } catch .alreadyThere {
        number += 1
      } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// The store's name and the ending of attempt `number`, interrupted where it would be too long for a file
  /// system.
  static func name(_ name: [UInt8], _ number: Int) -> [UInt8] {
    let ending = Array(".aside-\(number)".utf8)
    var stem = name
    if stem.count + ending.count > longest {
      stem.removeSubrange((longest - ending.count)...)
      // No character is cut in two: its later bytes are 10xxxxxx.
      while let first = name.indices.contains(stem.count) ? name[stem.count] : nil, first & 0xc0 == 0x80,
        !stem.isEmpty
      {
        stem.removeLast()
      }
    }
    return stem + ending
  }
}

/// A lease that is held while a store gets another name.
private final class MovingAsideLease: Sendable {
  private let hold: FileLock.Hold

  init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }
}
