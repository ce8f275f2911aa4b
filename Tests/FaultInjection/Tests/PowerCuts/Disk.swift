import Foundation

/// The contents that a disk surely has while a recording is replayed, and those that it may have.
///
/// The model: a write is durable once its file was synchronised after it, or at once with O_DSYNC. Until then
/// any whole sectors of it may be on the disk, in any order. A name is durable once its directory was
/// synchronised. Until then the disk has any prefix of the changes to that directory. A synchronised file
/// keeps its length. Closing a file makes nothing durable, nor does a durable name say anything about the
/// file's contents.
struct Disk {
  /// The number of bytes that a disk writes whole or not at all.
  static let sector = 512
  /// The ends of the names of lock files, which hold nothing but the process that locks them.
  private static let lockEndings = ["lock", ".lease", ".open", ".queue", ".write", ".fold"]

  /// A file or a directory as the disk is sure to hold it.
  struct Node {
    var isDirectory: Bool
    /// Whether it is a lock file. Its loss must not matter, and no moment of its life is examined.
    var isLock = false
    var bytes = Data()
    var names: [String: Inode] = [:]
    /// The bytes of a lock file in memory.
    var lastBytes = Data()
  }

  /// A change that the disk may have or not.
  struct Pending {
    enum Change {
      case write(offset: Int, bytes: Data)
      case resize(Int)
      case extend(Int)
      case add(String, Inode)
      case remove(String)
      case rename(from: String, to: String, Inode)
    }

    var inode: Inode
    var change: Change

    /// Whether a directory is changed.
    var isOfNames: Bool {
      switch change {
      case .write, .resize, .extend: false
      case .add, .remove, .rename: true
      }
    }
  }

  let root: Inode
  private(set) var nodes: [Inode: Node]
  private(set) var pending: [Pending] = []

  /// A disk with an empty directory.
  init(root: Inode) {
    self.root = root
    nodes = [root: Node(isDirectory: true)]
  }

  /// Whether `operation` changes the possible contents of the disk, so that a power cut before it differs
  /// from one after it.
  func isChanged(by operation: Recording.Operation) -> Bool {
    switch operation {
    case .note: false
    case .write(let inode, _, _, _), .resize(let inode, _), .extend(let inode, _), .synchronize(let inode):
      nodes[inode]?.isLock == false
    case .create, .rename, .remove: true
    }
  }

  /// Replays an operation of the process.
  mutating func perform(_ operation: Recording.Operation) {
    switch operation {
    case .note: break
    case .write(let inode, let offset, let bytes, let isDurable):
      change(inode, .write(offset: offset, bytes: bytes), isDurable: isDurable)
    case .resize(let inode, let size): change(inode, .resize(size), isDurable: false)
    case .extend(let inode, let size): change(inode, .extend(size), isDurable: false)
    case .synchronize(let inode):
      for change in pending where change.inode == inode { nodes[inode]?.apply(change.change) }
      pending.removeAll { $0.inode == inode }
    case .create(let inode, let directory, let name, let isDirectory):
      let isLock = Self.lockEndings.contains { name.hasSuffix($0) }
      nodes[inode] = Node(isDirectory: isDirectory, isLock: isLock && !isDirectory)
      // The number may have been another file's before.
      pending.removeAll { $0.inode == inode }
      pending.append(Pending(inode: directory, change: .add(name, inode)))
    case .rename(let inode, let directory, let name, let newName):
      pending.append(Pending(inode: directory, change: .rename(from: name, to: newName, inode)))
    case .remove(_, let directory, let name):
      pending.append(Pending(inode: directory, change: .remove(name)))
    }
  }

  private mutating func change(_ inode: Inode, _ change: Pending.Change, isDurable: Bool) {
    if nodes[inode]?.isLock == true {
      nodes[inode]?.changeLock(change)
    } else if isDurable {
      nodes[inode]?.apply(change)
    } else {
      pending.append(Pending(inode: inode, change: change))
    }
  }

  /// The contents of the disk after a power cut.
  ///
  /// - Parameters:
  ///   - taken: The part of each pending change that is on the disk.
  ///   - keepsLocks: Whether lock files hold the bytes last written to them.
  func image(taking taken: [Taken], keepsLocks: Bool) -> [Inode: Node] {
    var nodes = nodes
    for (change, part) in zip(pending, taken) { nodes[change.inode]?.apply(change.change, part) }
    if keepsLocks {
      for (inode, node) in nodes where node.isLock { nodes[inode]?.bytes = node.lastBytes }
    }
    return nodes
  }
}

extension Disk.Node {
  /// Applies a whole change.
  mutating func apply(_ change: Disk.Pending.Change) {
    switch change {
    case .write(let offset, let data): write(data, at: offset)
    case .resize(let size):
      if size < bytes.count { bytes = bytes.prefix(size) } else { extend(to: size) }
    case .extend(let size): extend(to: size)
    case .add(let name, let inode): names[name] = inode
    case .remove(let name): names[name] = nil
    case .rename(let name, let newName, let inode):
      names[name] = nil
      names[newName] = inode
    }
  }

  /// Applies the part of a change that the disk has.
  mutating func apply(_ change: Disk.Pending.Change, _ taken: Disk.Taken) {
    switch (taken, change) {
    case (.nothing, _): break
    case (.whole, _): apply(change)
    case (.length, .write(let offset, let data)): extend(to: offset + data.count)
    case (.withinLength, .write(let offset, let data)):
      if offset < bytes.count { write(data.prefix(bytes.count - offset), at: offset) }
    case (.sectors(let sectors), .write(let offset, let data)):
      for (sector, range) in zip(sectors, Disk.sectors(offset, data.count)) where sector {
        write(data.dropFirst(range.lowerBound - offset).prefix(range.count), at: range.lowerBound)
      }
    case (.length, _): apply(change)
    case (.withinLength, _), (.sectors, _): break
    }
  }

  /// Notes the bytes of a lock file in memory.
  mutating func changeLock(_ change: Disk.Pending.Change) {
    let durable = bytes
    bytes = lastBytes
    apply(change)
    lastBytes = bytes
    bytes = durable
  }

  private mutating func write(_ data: Data, at offset: Int) {
    extend(to: offset + data.count)
    let start = bytes.startIndex + offset
    bytes.replaceSubrange(start..<start + data.count, with: data)
  }

  /// Bytes that were never written read as zeros.
  private mutating func extend(to size: Int) {
    if size > bytes.count { bytes.append(Data(count: size - bytes.count)) }
  }
}
