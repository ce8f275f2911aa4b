import Annals

extension Examination {
  /// Compares what each tag leads to with all entries, in both directions.
  func compareTags(_ log: EventLog, _ entries: [LogEntry], _ when: String) throws {
    var expected: [EventTag: [Position]] = [:]
    for entry in entries {
      for tag in entry.tags { expected[tag, default: []].append(entry.position) }
    }
    for tag in tags { expected[tag, default: []] += [] }
    for (tag, positions) in expected {
      for backwards in [false, true] {
        let found: [Position]
        do throws(AnnalsError) {
          found = try log.read { (snapshot) throws(AnnalsError) in
            var read = try snapshot.entries(matching: [LogQuery.Item(tags: [tag])], backwards: backwards)
            var found: [Position] = []
            while let entry = try read.next() { found.append(entry.position) }
            return found
          }
        } catch {
          throw Finding("\(when), a query failed: \(error)")
        }
        guard found == (backwards ? positions.reversed() : positions) else {
          throw Finding("\(when), the tag '\(tag)' leads to \(found), not \(positions)")
        }
      }
    }
  }
}
