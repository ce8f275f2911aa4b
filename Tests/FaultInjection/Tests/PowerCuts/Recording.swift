import FaultPrograms
import Foundation

/// The number of a file or directory on its device.
typealias Inode = UInt64

/// The operations of a process on the files below one directory, in the order in which the system saw them.
struct Recording {
  /// One call.
  enum Operation: Equatable {
    /// Bytes at an offset; durable on return if the file was opened so (O_DSYNC).
    case write(Inode, offset: Int, bytes: Data, isDurable: Bool)
    /// The file is exactly so long.
    case resize(Inode, size: Int)
    /// The file is at least so long.
    case extend(Inode, size: Int)
    /// The file or directory, as it is now, is durable.
    case synchronize(Inode)
    case create(Inode, in: Inode, name: String, isDirectory: Bool)
    case rename(Inode, in: Inode, from: String, to: String)
    case remove(Inode, in: Inode, name: String)
    /// A note of the process in its journal.
    case note(CallJournal.Note)
  }

  /// Bytes that are no recording, or a recording that cannot be replayed.
  struct Unreadable: Error {
    let reason: String
  }

  /// The directory that was recorded, empty at first.
  private(set) var root: Inode = 0
  /// The operations that made the initial files, which are durable.
  private(set) var initial: [Operation] = []
  var operations: [Operation] = []

  /// Reads the output of the recorder (Tests/FaultInjection/Shims/records.h).
  init(_ data: Data) throws {
    var rest = data[...]
    func take(_ count: UInt64) throws -> Data {
      guard let count = Int(exactly: count), count <= rest.count else {
        throw Unreadable(reason: "it is cut off")
      }
      defer { rest = rest.dropFirst(count) }
      return Data(rest.prefix(count))
    }
    func number() throws -> UInt64 {
      try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    while !rest.isEmpty {
      let kind = try number()
      let (inode, other, argument) = (try number(), try number(), try number())
      let counts = (try number(), try number(), try number())
      let name = String(decoding: try take(counts.0), as: UTF8.self)
      let newName = String(decoding: try take(counts.1), as: UTF8.self)
      let bytes = try take(counts.2)
      let size = Int(truncatingIfNeeded: argument)
      switch kind {
      case 1, 2: operations.append(.write(inode, offset: size, bytes: bytes, isDurable: kind == 2))
      case 3: operations.append(.resize(inode, size: size))
      case 4: operations.append(.extend(inode, size: size))
      case 5: operations.append(.synchronize(inode))
      case 6, 7: operations.append(.create(other, in: inode, name: name, isDirectory: kind == 7))
      case 8: operations.append(.rename(other, in: inode, from: name, to: newName))
      case 9: operations.append(.remove(other, in: inode, name: name))
      case 10:
        operations += CallJournal.notes(in: String(decoding: bytes, as: UTF8.self)).map(Operation.note)
      case 11: root = inode
      case 13: (initial, operations) = (operations, [])
      default: throw Unreadable(reason: "the process did what no replay can follow: \(name)")
      }
    }
    if root == 0 { throw Unreadable(reason: "nothing was recorded") }
  }

  /// The directories, by the calls that made them.
  var directories: Set<Inode> {
    var directories: Set = [root]
    for case .create(let inode, _, _, true) in initial + operations { directories.insert(inode) }
    return directories
  }

  /// The same without the waits for the disk that `isDropped` selects.
  func withoutSynchronizing(_ isDropped: (Inode) -> Bool) -> Recording {
    var copy = self
    copy.operations = operations.filter {
      if case .synchronize(let inode) = $0 { !isDropped(inode) } else { true }
    }
    return copy
  }
}
