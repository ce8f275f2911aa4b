public import AnnalsCoding
public import AnnalsLog

extension EventLog {
  /// Returns the state of the store in Prometheus' text format, for a server's endpoint.
  ///
  /// The text has the numbers of entries, streams, events and bytes by type and version, sizes, readers, and
  /// the lag of each view and consumer. ``StoreMetrics`` adds counters of the work of this process.
  ///
  /// - Throws: As ``info()``, ``views()`` and ``consumers()``.
  /// - Complexity: O(record types, views and consumers), regardless of the length of the log.
  public func prometheusMetrics() throws(AnnalsError) -> String {
    var text = PrometheusText()
    let (info, pulse) = (try info(), try pulse())
    text.add("entries", .gauge, "Entries of the log.", Double(pulse.entries))
    text.add("streams", .gauge, "Streams of the log.", Double(pulse.streams))
    text.add("generation", .gauge, "Number of the generation in use.", Double(pulse.generation))
    let kinds = Self.kinds(info.census)
    text.add(
      "events", .gauge, "Events by type and version.",
      kinds.map { (labels: $0.labels, value: Double($0.count)) })
    text.add(
      "payload_bytes", .gauge, "Bytes of payloads by type and version.",
      kinds.map { (labels: $0.labels, value: Double($0.bytes)) })
    text.add("file_bytes", .gauge, "Length of the log's file.", Double(pulse.fileBytes))
    text.add("free_bytes", .gauge, "Unused bytes of the log's file.", Double(pulse.freeBytes))
    text.add("map_bytes", .gauge, "Address space set aside for the log's file.", Double(pulse.mapBytes))
    text.add("readers", .gauge, "Open snapshots of all processes.", Double(pulse.readers))
    text.add(
      "oldest_reader_commits", .gauge, "Commits after the oldest snapshot.", Double(pulse.oldestReaderLag))
    text.add(
      "lag", .gauge, "Positions that a view, an inline projection or a consumer has not read.",
      pulse.followers.map { follower in
        var labels = [("kind", follower.role.rawValue), ("name", follower.name)]
        if let version = follower.version { labels.append(("version", "\(version)")) }
        if follower.role != .consumer { labels.append(("number", "\(follower.number)")) }
        return (labels: labels, value: Double(follower.lag))
      })
    text.add(
      "dead_letters", .gauge, "Entries that a consumer has set apart.",
      pulse.followers.filter { $0.role == .consumer }.map { consumer in
        (labels: [("name", consumer.name)], value: Double(consumer.deadLetters))
      })
    return text.text
  }

  /// The labels of each type in each version, with its numbers. A version that is stored in several forms has
  /// a line of the census for each, and equal labels may come once.
  private static func kinds(
    _ census: [CensusLine]
  ) -> [(labels: [(String, String)], count: UInt64, bytes: UInt64)] {
    var kinds: [(labels: [(String, String)], count: UInt64, bytes: UInt64)] = []
    var places: [ExactText: Int] = [:]
    for line in census {
      let version = line.version.map { "\($0)" } ?? ""
      let place = places[ExactText(version + " " + line.type)] ?? kinds.count
      if place == kinds.count {
        kinds.append(([("type", line.type), ("version", version)], 0, 0))
        places[ExactText(version + " " + line.type)] = place
      }
      kinds[place].count += line.count
      kinds[place].bytes += line.bytes
    }
    return kinds
  }
}
