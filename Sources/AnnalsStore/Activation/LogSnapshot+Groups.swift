package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
internal import AnnalsSchema

// The groups of folds whose entries no pass has made one of yet.
extension LogSnapshot {
  /// Returns the first of `positions` at which a group of a fold ends that has members left; `nil` if there
  /// is none. Such an entry reads as the whole group, until a pass has made one entry of it.
  ///
  /// - Parameter positions: The positions of entries that are about to be erased; those beyond the log's end
  ///   are left out.
  /// - Complexity: O(1) in a store without folds.
  package func endOfGroup(in positions: [Position]) throws(AnnalsError) -> Position? {
    let tables = try groupTables()
    if tables.isEmpty { return nil }
    let last = try reader.last()
    var erased: [Position: Set<Revision>] = [:]
    var ends: [(position: Position, stream: Position, members: ClosedRange<UInt64>)] = []
    for position in positions where position.rawValue <= last {
      let entry = try reader.lend(try reader.bytes(at: position), at: position)
      erased[entry.stream, default: []].insert(entry.revision)
      let versions = try versions(of: entry)
      for (version, table) in tables where versions.contains(where: { $0.map { $0 < version } ?? true }) {
        for value in try table.values(beginningWith: position.rawValue) {
          let end: GroupEnd
          do throws(FormatFailure) { end = try GroupEnd(value.span) } catch {
            throw AnnalsError(error, place: "the groups of version \(version)", table: "meta")
          }
          guard end.first < entry.revision else { continue }
          ends.append((position, entry.stream, end.first.rawValue...entry.revision.rawValue))
        }
      }
    }
    return ends.first { end in
      !end.members.allSatisfy { erased[end.stream]?.contains(Revision($0)) == true }
    }?.position
  }

  /// The tables of the ends of groups, each with the version that its fold leads to.
  private func groupTables() throws(AnnalsError) -> [(version: SchemaVersion, table: ContextTable)] {
    var tables: [(version: SchemaVersion, table: ContextTable)] = []
    let prefix = ContextTableRow.Use.groups.rawValue + " "
    for name in try reader.metaNames(beginningWith: prefix) {
      guard let version = SchemaVersion(String(name.dropFirst(prefix.count))),
        let row = try reader.table(.groups, of: version)
      else { continue }
      let generation = generation
      tables.append(
        (
          version,
          ContextTable(firstKeys: row.firstKeys) { (index) throws(AnnalsError) in
            try generation.read { (reader) throws(AnnalsError) in try reader.chunk(index, of: row) }
          }
        ))
    }
    return tables
  }

  /// The versions in which the parts of an entry are stored; `nil` for none that is known.
  private func versions(of entry: borrowing LentEntry) throws(AnnalsError) -> [SchemaVersion?] {
    var numbers = [entry.kind]
    if entry.header.flags.contains(.parts), case .parts(let parts) = try EntryReading.body(of: entry) {
      numbers = parts.map(\.kind)
    }
    return numbers.map { kinds[$0]?.version ?? kinds.adopted }
  }
}
