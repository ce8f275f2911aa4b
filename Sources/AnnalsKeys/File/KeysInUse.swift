internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// Finds out which older keys of persons encrypted values of a log still need.
struct KeysInUse {
  /// The older keys that may be unused: numbers by the name of the person's row.
  private(set) var unused: [[UInt8]: Set<UInt32>]

  /// Begins with all keys that are not the newest of their person.
  init(_ rows: [(name: [UInt8], row: KeyRow)]) {
    unused = [:]
    for (name, row) in rows where row.keys.count > 1 {
      unused[name] = Set(row.keys.dropLast().map(\.number))
    }
  }

  /// The number of unused keys.
  var count: Int { unused.values.reduce(0) { $0 + $1.count } }

  /// Removes the keys that entries of a log need.
  ///
  /// - Complexity: O(log), unless there are no older keys.
  mutating func read(_ log: EventLog) throws(AnnalsError) {
    if unused.isEmpty { return }
    var rest = unused
    try log.read { (snapshot) throws(AnnalsError) in
      let kinds = snapshot.kinds
      var scan = try snapshot.scan()
      while let entry = try scan.next() {
        if entry.header.isSystem || entry.header.flags.contains(.stub) { continue }
        func read(_ kind: UInt32, _ payload: Span<UInt8>) throws(AnnalsError) {
          try kinds.kinds[kind]?.shape?.personal?.eachSealed(in: payload) {
            (_, _, subject, value) throws(AnnalsError) in
            rest[KeyRow.name(of: subject)]?.remove(value.key)
          }
        }
        if entry.header.flags.contains(.parts) {
          try entry.eachPart { (kind, _, payload) throws(AnnalsError) in try read(kind, payload) }
        } else {
          try read(entry.header.kind, entry.body)
        }
      }
    }
    unused = rest.filter { !$0.value.isEmpty }
  }
}
