extension Disk {
  /// The part of a pending change that a disk has after a power cut.
  enum Taken: Hashable {
    /// None of it.
    case nothing
    /// All of it.
    case whole
    /// The length that a write gives to its file: growth without data.
    case length
    /// The part of a write within the file's old length: data without growth.
    case withinLength
    /// These sectors of a write.
    case sectors([Bool])
  }

  /// The parts of `count` bytes at `offset` that a disk writes whole or not at all.
  static func sectors(_ offset: Int, _ count: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = offset
    while start < offset + count {
      let end = min(offset + count, (start / sector + 1) * sector)
      ranges.append(start..<end)
      start = end
    }
    return ranges
  }

  /// One way in which the disk may have the pending changes.
  struct Selection: Hashable {
    var taken: [Taken]
    var keepsLocks: Bool
  }

  /// The number of random selections at each moment; every second one tears writes.
  private static let drawn = 8

  /// Ways in which the disk may have the pending changes, each once. They are: all, none, only the last, all
  /// but the last, growth without data, data without growth, names without data, data without names, and some
  /// at random.
  func selections(using random: inout some RandomNumberGenerator) -> [Selection] {
    let all = [Taken](repeating: .whole, count: pending.count)
    let nothing = [Taken](repeating: .nothing, count: pending.count)
    var list = [Selection(taken: all, keepsLocks: true), Selection(taken: nothing, keepsLocks: false)]
    if let last = pending.indices.last {
      list.append(selection { $0 == last ? .whole : .nothing })
      list.append(selection { $0 == last ? .nothing : .whole })
      list.append(selection { _ in .length })
      list.append(selection { _ in .withinLength })
      list.append(selection { pending[$0].isOfNames ? .whole : .nothing })
      list.append(selection { pending[$0].isOfNames ? .nothing : .whole })
      for number in 0..<Self.drawn {
        let isTorn = number % 2 == 1
        list.append(
          selection(keepsLocks: .random(using: &random)) { draw(pending[$0], isTorn: isTorn, using: &random) }
        )
      }
    }
    var seen: Set<[Taken]> = []
    return list.filter { seen.insert($0.taken).inserted }
  }

  private func draw(
    _ change: Pending, isTorn: Bool, using random: inout some RandomNumberGenerator
  ) -> Taken {
    guard isTorn, Bool.random(using: &random), case .write(let offset, let bytes) = change.change else {
      return Bool.random(using: &random) ? .whole : .nothing
    }
    return .sectors(Self.sectors(offset, bytes.count).map { _ in Bool.random(using: &random) })
  }

  /// A selection with the part of each change that `taken` names, and a prefix of the names in each
  /// directory.
  private func selection(keepsLocks: Bool = true, _ taken: (Int) -> Taken) -> Selection {
    var list = pending.indices.map(taken)
    var lastOfDirectory: [Inode: Int] = [:]
    for index in pending.indices where pending[index].isOfNames && list[index] != .nothing {
      lastOfDirectory[pending[index].inode] = index
    }
    for index in pending.indices {
      if pending[index].isOfNames {
        list[index] = index <= lastOfDirectory[pending[index].inode, default: -1] ? .whole : .nothing
      } else if case .sectors(let sectors) = list[index] {
        if !sectors.contains(true) { list[index] = .nothing }
        if !sectors.contains(false) { list[index] = .whole }
      }
    }
    return Selection(taken: list, keepsLocks: keepsLocks)
  }
}
