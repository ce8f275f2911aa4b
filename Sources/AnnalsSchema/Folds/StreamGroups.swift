internal import AnnalsCoding

/// The newest group of each stream while the ends of one fold's groups are found, and the rows of those that
/// have ended.
///
/// It is not generic, because what is generic here would not be specialized, and it does its work for each
/// entry of the log.
struct StreamGroups {
  private struct Group {
    var key: GroupKey?
    var first: Revision
    var position: Position
    var path: [UInt32]
    /// 0 if the group has ended.
    var count = 1

    var row: ContextTable.Row {
      (GroupEnd.key(at: position, path), GroupEnd(count: count, first: first).encoded())
    }
  }

  private var groups: [Group] = []
  /// The place of a stream's group.
  private var places: [StreamName: Int] = [:]
  /// The rows of the groups that have ended.
  private(set) var rows: [ContextTable.Row] = []

  /// Adds the next record of a stream: to the stream's group if `key` is the group's, and else to a new one.
  ///
  /// - Parameter key: The record's key; `nil`, which equals no other key, for a group by itself.
  mutating func add(
    _ key: GroupKey?, in stream: StreamName, _ revision: Revision, at position: Position, _ path: [UInt32]
  ) {
    guard let place = places[stream] else {
      places[stream] = groups.count
      return groups.append(Group(key: key, first: revision, position: position, path: path))
    }
    if groups[place].count > 0, let key, groups[place].key == key {
      groups[place].position = position
      groups[place].path = path
      groups[place].count += 1
      return
    }
    end(place)
    groups[place] = Group(key: key, first: revision, position: position, path: path)
  }

  /// Ends the newest group of a stream: the next record in it begins another.
  mutating func endGroup(of stream: StreamName) {
    if let place = places[stream] { end(place) }
  }

  /// Ends all groups.
  mutating func finish() {
    for place in groups.indices { end(place) }
  }

  private mutating func end(_ place: Int) {
    guard groups[place].count > 0 else { return }
    rows.append(groups[place].row)
    groups[place].count = 0
  }
}
